import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import { isNetworkId, type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'
import { mcpToolUrl, readMcpToolUrl } from '../../platform/core/mcp-tool-url.ts'
import { asciiJson } from '../../platform/core/text/ascii-json.ts'
import { cleanBlock, cleanLine, cutTo } from '../../platform/core/text/hostile-text.ts'
import { EXAMPLE_RPC, SEED_FILE } from '../../platform/core/text/pay-placeholders.ts'
import { shellWord } from '../../platform/core/text/shell-word.ts'
import { USDC_DECIMALS } from '../offer/usdc.ts'
import type { FoundItem } from './catalog-client.ts'

/** One way to pay for a resource. */
interface ListedPrice {
  readonly scheme: string
  readonly network: string
  /** Token contract. */
  readonly asset: string
  /** Base units: the price, or the ceiling of `upto`. */
  readonly amount: string
  /** `0.01 USDC`; another token by its contract, since its symbol is its author's word. */
  readonly price: string
  readonly payTo: string
}

/**
 * A listing, cleaned of characters that no one sees and cut. `resource`, `name`, `description`, `tags` and `call` are
 * the words of its seller, unchecked.
 */
export interface ListingFacts {
  /** Ids of its listings, one a network. */
  readonly listings: readonly string[]
  readonly resource: string
  readonly type: string
  readonly method: string | null
  /** Name of the tool of an MCP server. */
  readonly toolName: string | null
  readonly name: string | null
  readonly description: string | null
  readonly tags: readonly string[]
  readonly prices: readonly ListedPrice[]
  /** `settled`, `origin_verified` or `domain_verified`: docs/catalog.md. */
  readonly trust: string
  readonly settlements: number
  /** State of a single listing; null in a search, which has published ones only. */
  readonly state: string | null
  /** The input that the seller declares, as JSON; null without one. */
  readonly call: string | null
  /**
   * The command for a tool of an MCP server that pays for its example, quoted for a shell; null for what is called over HTTP, and while no price
   * is known as a decimal. It names an example of what the payer has not named: `EXAMPLE_RPC`, `SEED_FILE`.
   */
  readonly pay: string | null
}

/** What a payer has named before, so that a command need not. */
export interface KnownPayer {
  readonly hasSeed: boolean
  readonly hasRpc: (network: NetworkId) => boolean
}

export function listingFacts(item: FoundItem, payer: KnownPayer): ListingFacts {
  const { resource, type, svc, serviceName, description, tags = [], state } = item
  const prices = item.accepts.map((option, place) => priceOf(option, svc.options[place]?.decimals))
  return {
    listings: svc.listings.map(({ id }) => line(id)),
    resource: line(resource, 2_000),
    type: line(type),
    method: lineOrNull(svc.method),
    toolName: lineOrNull(svc.toolName),
    name: lineOrNull(serviceName),
    description: description === undefined ? null : cutTo(2_000, cleanBlock(description)),
    tags: tags.slice(0, 10).map((tag) => line(tag)),
    prices,
    trust: line(svc.trust),
    settlements: svc.settlements,
    state: lineOrNull(state),
    call: callOf(item),
    pay: payCommand(item, payer),
  }
}

/** Longer examples are left to the reader. */
const MAX_EXAMPLE = 1_000

/** Its words are in ASCII and quoted: a seller's example ends no word and hides nothing. */
function payCommand(
  { type, resource, svc, accepts, extensions }: FoundItem,
  { hasSeed, hasRpc }: KnownPayer,
): string | null {
  const url = type === 'mcp' ? mcpToolUrl(line(resource, 2_000), svc.toolName ?? '') : ''
  if (readMcpToolUrl(url)?.kind !== 'http') return null
  const example = asciiJson(Object(extensions.bazaar.info['input']).example ?? {})
  const payable = accepts.flatMap((option, place) => {
    const max = decimalOf(option, svc.options[place]?.decimals)
    const { network } = option
    return max === undefined || !isNetworkId(network) ? [] : [{ option, max, network }]
  })
  const wanted = payable.find(({ option }) => isUsdc(option)) ?? payable[0]
  if (!wanted) return null
  const { option, max, network } = wanted
  const words = [
    ...['svc', 'pay', url, '--data', example.length > MAX_EXAMPLE ? '{}' : example],
    ...['--max', max],
    ...(network === 'stellar:testnet' ? [] : ['--network', network]),
    ...(hasRpc(network) ? [] : ['--rpc', EXAMPLE_RPC]),
    ...(isUsdc(option) ? [] : ['--asset', line(option.asset)]),
    ...(hasSeed ? [] : ['--key-file', SEED_FILE]),
  ]
  return words.map(shellWord).join(' ')
}

type Option = FoundItem['accepts'][number]

const isUsdc = ({ network, asset }: Option): boolean =>
  isNetworkId(network) && usdcContracts[network] === asset

/** The price as a decimal of its token. @param decimals as the catalog says. @returns undefined when they are not known */
function decimalOf(option: Option, decimals: number | undefined): string | undefined {
  const known = isUsdc(option) ? USDC_DECIMALS : decimals
  if (known === undefined || !/^\d{1,39}$/.test(option.amount)) return undefined
  return decimalAmount(BigInt(option.amount), known)
}

function priceOf(option: Option, decimals: number | undefined): ListedPrice {
  const { scheme, network, asset, amount, payTo } = option
  const symbol = isUsdc(option) ? 'USDC' : `of the token ${line(asset)}`
  const decimal = decimalOf(option, decimals)
  const price =
    decimal === undefined
      ? `${line(amount)} base units ${isUsdc(option) ? 'of USDC' : symbol}`
      : `${decimal} ${symbol}`
  const cleaned = { scheme, network, asset, amount, payTo }
  return {
    ...(Object.fromEntries(
      Object.entries(cleaned).map(([name, value]) => [name, line(value)]),
    ) as typeof cleaned),
    price,
  }
}

/** `info.input` of the extension bazaar. */
function callOf({ extensions }: FoundItem): string | null {
  const { input } = extensions.bazaar.info
  return input === undefined ? null : cutTo(2_000, cleanBlock(JSON.stringify(input, null, 2)))
}

const line = (text: string, length = 200): string => cutTo(length, cleanLine(text))

const lineOrNull = (text: string | undefined): string | null =>
  text === undefined || text === '' ? null : line(text)
