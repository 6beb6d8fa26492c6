import { z } from 'zod'
import { fenced, SHORT } from '../answers/seller-text.ts'
import { shownPayment, shownPaymentSchema } from '../answers/shown-payment.ts'
import { sellerTextSchema } from '../answers/shown-resource.ts'
import { paymentSchema } from '../answers/wire.ts'
import type { Facts } from '../facts/facts.ts'
import { readFacts } from '../facts/read-facts.ts'
import { type Tool, tool } from './tool.ts'
import { toolInput } from './tool-input.ts'

const input = toolInput({
  transaction: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/)
    .describe('Hash of the transaction, from the receipt of the payment.'),
})

const output = z.object({
  state: z
    .enum(['settled', 'not_observed'])
    .describe('not_observed: no ledger that was read holds such a payment; it may still come.'),
  payment: shownPaymentSchema.optional(),
  sellerText: sellerTextSchema.optional(),
})

const NOT_OBSERVED =
  'Not observed. A payment that was just made appears within some seconds: ask again then. Do not pay again because of this answer.'

export const paymentStatus = (facts: Pick<Facts, 'payment'>): Tool =>
  tool({
    name: 'payment_status',
    title: 'Look up a payment',
    description:
      'Says whether a transaction is an x402 payment that the ledger holds, and who paid whom how much. Costs nothing.',
    input,
    output,
    call: async ({ transaction }, { signal, fenceId }) => {
      const found = await facts.payment(transaction.toLowerCase(), signal)
      if (found === undefined) {
        return { result: { state: 'not_observed' as const }, text: NOT_OBSERVED }
      }
      const record = readFacts(paymentSchema, found)
      const { serviceName, resource, resourceCandidates, memo, asset, facilitator } = record
      const payment = shownPayment(record)
      const said = { serviceName, resource, resourceCandidates, memo, asset, facilitator }
      const sellerText = fenced(said, SHORT, fenceId)
      const { amountDecimal, assetCode, seller, ledger, network } = payment
      const amount = `${amountDecimal} ${assetCode ?? `of ${payment.asset}`}`
      return {
        result: { state: 'settled' as const, payment, sellerText },
        text: `Settled in ledger ${ledger} of ${network}: ${amount} to ${seller}.\n${sellerText}`,
      }
    },
  })
