import { z } from 'zod'
import { usdcContracts } from '../../../platform/core/caip2.ts'
import { paymentSchema, type WirePayment } from './wire.ts'

const { shape } = paymentSchema

/** A payment without anything that a seller or a buyer could write freely. */
export const shownPaymentSchema = z.object({
  transaction: shape.txHash,
  network: shape.network,
  ledger: shape.ledger,
  closedAt: shape.closedAt,
  scheme: shape.scheme,
  buyer: shape.buyer,
  seller: shape.seller,
  asset: shape.assetContract,
  assetCode: z.literal('USDC').optional(),
  amount: shape.amount,
  amountDecimal: shape.amountDecimal,
  ceiling: shape.ceiling.describe('With upto: what the buyer signed at most.'),
  confidence: shape.confidence.describe(
    'svc: by this facilitator; verified-facilitator: by a known one; x402-shaped: looks like a payment.',
  ),
})
export type ShownPayment = z.output<typeof shownPaymentSchema>

export function shownPayment(payment: WirePayment): ShownPayment {
  const { txHash, network, ledger, closedAt, scheme, buyer, seller, assetContract } = payment
  const { amount, amountDecimal, ceiling, confidence } = payment
  return {
    transaction: txHash,
    network,
    ledger,
    closedAt,
    scheme,
    buyer,
    seller,
    asset: assetContract,
    ...(assetContract === usdcContracts[network] && { assetCode: 'USDC' as const }),
    amount,
    amountDecimal,
    ...(ceiling !== undefined && { ceiling }),
    confidence,
  }
}
