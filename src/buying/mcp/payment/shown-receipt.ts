import { z } from 'zod'
import { schemeNames } from '../../../payments/protocol/schemes.ts'
import { decimalAmount } from '../../../platform/core/amounts/decimal.ts'
import { USDC_DECIMALS } from '../../offer/usdc.ts'
import type { Receipt } from '../../outcome/receipt.ts'
import { hashSchema, networkSchema } from '../answers/wire.ts'

const amount = z.string().regex(/^\d{1,39}$/)
const decimal = z.string().regex(/^\d{1,39}(\.\d{1,18})?$/)

/** The outcome of a payment, without anything that its seller could write freely. */
export const shownReceiptSchema = z.object({
  outcome: z.enum(['settled', 'refused', 'unknown']).describe('As the seller says.'),
  transaction: hashSchema.nullable().describe('For payment_status.'),
  scheme: z.enum(schemeNames),
  network: networkSchema,
  asset: z.string(),
  signed: amount.describe('The most that this payment can take, in base units.'),
  signedDecimal: decimal,
  amount: amount.nullable().describe('What it took; null while that is unknown.'),
  amountDecimal: decimal.nullable(),
  payTo: z.string(),
  payer: z.string(),
  at: z.iso.datetime(),
})
export type ShownReceipt = z.output<typeof shownReceiptSchema>

export function shownReceipt(receipt: Receipt): ShownReceipt {
  const { outcome, transaction, scheme, network, asset, signed, amount: paid, payTo, at } = receipt
  const inUsdc = (units: string) => decimalAmount(BigInt(units), USDC_DECIMALS)
  return {
    outcome,
    transaction: hashSchema.safeParse(transaction).data ?? null,
    scheme,
    network: networkSchema.parse(network),
    asset,
    signed,
    signedDecimal: inUsdc(signed),
    amount: paid,
    amountDecimal: paid === null ? null : inUsdc(paid),
    payTo,
    payer: receipt.payer,
    at,
  }
}
