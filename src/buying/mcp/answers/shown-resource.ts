import { z } from 'zod'
import type { CatalogItem } from '../../../catalog/discovery/item-schema.ts'
import { isMetered, schemeNames } from '../../../payments/protocol/schemes.ts'
import { decimalAmount } from '../../../platform/core/amounts/decimal.ts'
import { usdcContracts } from '../../../platform/core/caip2.ts'
import { mcpToolUrl, readMcpToolUrl } from '../../../platform/core/mcp-tool-url.ts'
import { fenced, SELLER_TEXT_RULE, type TextLimits } from './seller-text.ts'
import { methodSchema, optionFactsSchema, optionSchema } from './wire.ts'

/** How a resource can be paid, without anything that its seller could write freely. */
const priceSchema = z.object({
  scheme: z.enum(schemeNames),
  network: optionSchema.shape.network,
  asset: z.string().describe('Contract of the asset.'),
  assetCode: z.literal('USDC').optional().describe("Only for Circle's USDC, by its contract."),
  amount: z.string().describe('Base units; with upto the most that a call may cost.'),
  amountDecimal: z
    .string()
    .optional()
    .describe('The amount in units of the asset, where its decimals are known.'),
  payTo: z.string(),
  receivable: z
    .boolean()
    .optional()
    .describe('Whether payTo could receive the asset when last read.'),
})
type Price = z.output<typeof priceSchema>

export const sellerTextSchema = z
  .string()
  .describe(`What the seller says, as JSON in a fence. ${SELLER_TEXT_RULE}`)

/** The members that every resource has in a result. */
export const shownResourceSchema = z.object({
  id: z.uuid().describe('Of its first listing; for inspect_resource.'),
  type: z.enum(['http', 'mcp']),
  method: methodSchema.optional(),
  trust: z
    .enum(['settled', 'origin_verified', 'domain_verified'])
    .describe(
      'settled: someone paid for it; origin_verified: its own 402 response names the payee; domain_verified: its host does, too.',
    ),
  settlements: z.int().describe('Payments that this facilitator settled for it.'),
  prices: z.array(priceSchema),
  sellerText: sellerTextSchema,
})
export type ShownResource = z.output<typeof shownResourceSchema>

const MAX_PRICES = 8

/** Splits a resource into what the service vouches for, and the fenced text of its seller. */
export function shownResource(
  item: CatalogItem,
  { limits, fenceId }: { readonly limits: TextLimits; readonly fenceId: string },
  more: object = {},
): ShownResource {
  const { resource: url, type, svc, serviceName, description, mimeType, tags } = item
  const [first] = svc.listings
  const assets = svc.options
    .map((each) => optionFactsSchema.safeParse(each).data)
    .flatMap((each) =>
      each?.symbol === undefined ? [] : [{ symbol: each.symbol, name: each.name }],
    )
  const { toolName } = svc
  const method = methodSchema.safeParse(svc.method).data
  const tool = type === 'mcp' ? mcpToolUrl(url, toolName ?? '') : undefined
  const call = tool !== undefined && readMcpToolUrl(tool) ? tool : undefined
  const said = { url, toolName, call, serviceName, description, mimeType, tags, assets, ...more }
  return {
    id: first?.id ?? '',
    type,
    ...(method && { method }),
    trust: svc.trust,
    settlements: svc.settlements,
    prices: pricesOf(item),
    sellerText: fenced(said, limits, fenceId),
  }
}

function pricesOf({ accepts, svc }: CatalogItem): Price[] {
  const prices = accepts.flatMap((each, place) => {
    const option = optionSchema.safeParse(each).data
    return option ? [priceOf(option, optionFactsSchema.safeParse(svc.options[place]).data)] : []
  })
  return prices.slice(0, MAX_PRICES)
}

function priceOf(
  option: z.output<typeof optionSchema>,
  facts: z.output<typeof optionFactsSchema> | undefined,
): Price {
  const { decimals, receivable } = facts ?? {}
  return {
    ...option,
    ...(option.asset === usdcContracts[option.network] && { assetCode: 'USDC' as const }),
    ...(decimals !== undefined && {
      amountDecimal: decimalAmount(BigInt(option.amount), decimals),
    }),
    ...(receivable !== undefined && { receivable }),
  }
}

/** One line for a person: what is sold, and for how much; its URL is in the fence. */
export function resourceLine({ id, type, method, trust, prices }: ShownResource): string {
  const [price] = prices
  const cost =
    price === undefined
      ? 'no price that this service can settle'
      : `${isMetered(price.scheme) ? 'at most ' : ''}${amountText(price)} on ${price.network}`
  return `${id}: ${method ?? type}, ${cost}, ${trust}`
}

const amountText = ({ amount, amountDecimal, assetCode, asset }: Price): string =>
  amountDecimal === undefined
    ? `${amount} base units of ${asset}`
    : `${amountDecimal} ${assetCode ?? `of ${asset}`}`
