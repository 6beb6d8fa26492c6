import { z } from 'zod'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { countOf } from '../../../platform/core/text/count-of.ts'
import { fenced, SHORT } from '../answers/seller-text.ts'
import { shownPayment, shownPaymentSchema } from '../answers/shown-payment.ts'
import { sellerTextSchema } from '../answers/shown-resource.ts'
import { addressSchema, networkSchema, sellerSchema } from '../answers/wire.ts'
import type { Facts } from '../facts/facts.ts'
import { readFacts } from '../facts/read-facts.ts'
import { type Tool, tool } from './tool.ts'
import { toolInput } from './tool-input.ts'

const MAX_PAYMENTS = 10
const MAX_ASSETS = 10

const input = toolInput({
  payTo: addressSchema.describe('The G... or C... address that is paid.'),
  network: networkSchema.optional().describe('Both networks when absent.'),
})

const { stats, conduct } = sellerSchema.shape

const output = z.object({
  payTo: sellerSchema.shape.payTo,
  payments: stats.shape.totalPayments,
  uniqueBuyers: stats.shape.uniqueBuyers,
  firstPaymentAt: stats.shape.firstPaymentAt,
  lastPaymentAt: stats.shape.lastPaymentAt,
  byAsset: stats.shape.byAsset.describe('Totals in base units and as decimals.'),
  selfPayments: conduct.shape.selfPayments.describe('Payments whose buyer is the seller.'),
  topBuyer: conduct.shape.topBuyer.describe('A share near 1 says little about the seller.'),
  newest: z.array(shownPaymentSchema),
  sellerText: sellerTextSchema,
})

interface ActivityOptions {
  readonly facts: Pick<Facts, 'seller'>
  /** The network of every call that names none. */
  readonly network?: NetworkId | undefined
}

export const sellerActivity = ({ facts, network }: ActivityOptions): Tool =>
  tool({
    name: 'seller_activity',
    title: "Look at a seller's payments",
    description:
      'Shows what an address was paid on the ledger: how often, by how many buyers, in which assets, and the newest payments. Anyone can pay themselves: figures are no recommendation. Costs nothing.',
    input,
    output,
    call: async (asked, { signal, fenceId }) => {
      const answer = await facts.seller(asked.payTo, asked.network ?? network, signal)
      const seller = readFacts(sellerSchema, answer)
      const { totalPayments, byAsset, ...times } = seller.stats
      const { serviceName, resource, description, resources } = seller
      const said = { serviceName, resource, description, resources }
      const sellerText = fenced(said, SHORT, fenceId)
      const result = {
        payTo: seller.payTo,
        payments: totalPayments,
        ...times,
        byAsset: byAsset.slice(0, MAX_ASSETS),
        ...seller.conduct,
        newest: seller.payments.slice(0, MAX_PAYMENTS).map(shownPayment),
        sellerText,
      }
      const by = `${countOf(totalPayments, 'payment')} by ${countOf(times.uniqueBuyers, 'buyer')}`
      const line = `${by}, ${seller.conduct.selfPayments} of them by itself.`
      return { result, text: `${line}\n${sellerText}` }
    },
  })
