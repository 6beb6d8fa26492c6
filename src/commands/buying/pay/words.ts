import type { SellerCall } from '../../../buying/seller/seller-http.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { isMcpToolUrl, readMcpToolUrl } from '../../../platform/core/mcp-tool-url.ts'
import { addressKind } from '../../../stellar/accounts/strkey.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import type { KeyPlace } from '../buyer-key.ts'
import type { PayFlags } from './options.ts'

const RPC_EXAMPLE = 'https://soroban-testnet.stellar.org'

/** The network's public endpoint; there is none for pubnet that everybody may use. */
const defaultRpc: Partial<Record<NetworkId, string>> = { 'stellar:testnet': RPC_EXAMPLE }

/** The call to pay, from the command line. */
export interface PayWords {
  /** Undefined for the running demo. */
  readonly target: Target | undefined
  readonly path: string | undefined
  readonly call: Omit<SellerCall, 'url'>
  readonly max: string | undefined
  readonly asset: string | undefined
  readonly key: KeyPlace
}

/** Throws UsageError. */
export const payWords = (
  words: readonly string[],
  flags: PayFlags,
  variables: Readonly<Record<string, string | undefined>>,
): PayWords => ({
  target: targetOf(words, flags, variables),
  path: demoPathOf(words),
  call: isMcpToolUrl(words[0] ?? '') ? toolCallOf(flags) : callOf(flags),
  max: maxOf(flags),
  asset: assetOf(flags),
  key: keyPlaceOf(flags),
})

/** The URL to call, its network and its RPC, when the command line gives a URL. */
interface Target {
  readonly url: string
  readonly network: NetworkId
  /** URL of Stellar RPC; undefined when only a price is asked for. */
  readonly rpc: string | undefined
}

/** A path of the running demo's API: `/forecast?days=7`. */
const demoPathOf = ([word]: readonly string[]): string | undefined =>
  word?.startsWith('/') ? word : undefined

/**
 * Undefined for the running demo. Throws UsageError, also for a URL without a limit.
 *
 * @param variables `TESTNET_RPC_URL` and `PUBNET_RPC_URL` name an RPC as well; of several, the first
 */
function targetOf(
  [url, ...rest]: readonly string[],
  flags: PayFlags,
  variables: Readonly<Record<string, string | undefined>>,
): Target | undefined {
  const { rpc, network = 'stellar:testnet', quote } = flags
  if (quote && flags['save-receipt'] !== undefined) {
    throw new UsageError('--quote pays nothing, so --save-receipt has nothing to keep')
  }
  if (rest.length > 0) throw new UsageError(`expected one URL at most, so not '${rest[0]}'`)
  if (url === undefined || url.startsWith('/')) {
    const foreign = (['rpc', 'network', 'asset', 'account', 'key-file', 'keychain'] as const).find(
      (name) => flags[name] !== undefined,
    )
    if (foreign === undefined) return undefined
    throw new UsageError(`--${foreign} needs a URL to pay; svc pay alone pays the running demo`)
  }
  requireUrl(url)
  if (!quote && flags.max === undefined) {
    throw new UsageError('a URL needs --max, the most that the call may cost, such as --max 0.05')
  }
  // The decimals of another token than USDC are on the ledger.
  const isPriceOnly = quote && (flags.asset === undefined || flags.max === undefined)
  return { url, network, rpc: rpcOf(network, rpc, variables, isPriceOnly) }
}

/**
 * The Stellar RPC of a buyer: the one that is named, or the network's public one. Throws UsageError.
 *
 * @param isOptional it is not needed: undefined is no mistake
 */
export function rpcOf(
  network: NetworkId,
  given: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
  isOptional = false,
): string | undefined {
  const variable = `${network.replace('stellar:', '').toUpperCase()}_RPC_URL`
  const named = given ?? (variables[variable]?.split(',')[0]?.trim() || undefined)
  const used = named ?? defaultRpc[network]
  if (used === undefined && !isOptional) {
    throw new UsageError(`${network} has no Stellar RPC for everybody: name one with --rpc`)
  }
  if (used !== undefined) requireRpc(used, given === undefined ? variable : '--rpc')
  return used
}

function requireUrl(url: string): void {
  if (isMcpToolUrl(url)) {
    requireToolUrl(url)
    return
  }
  const { protocol } = readUrl(url, 'the URL to pay', 'https://api.example/weather')
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new UsageError(`the URL to pay starts with https:// or http://, not ${protocol}`)
  }
}

function requireToolUrl(url: string): void {
  const called = readMcpToolUrl(url)
  if (called?.kind === 'http') return
  throw new UsageError(
    called
      ? 'svc pay starts no MCP server: pay a tool of one on standard input with svc mcp --servers'
      : `a tool of an MCP server is written as in mcp+https://api.example/mcp#tool, or with mcp+http:// on this machine, not ${url}`,
  )
}

function requireRpc(url: string, name: string): void {
  if (readUrl(url, name, RPC_EXAMPLE).protocol === 'https:') return
  throw new UsageError(
    `${name} must be https, because the stock client refuses plain http; ` +
      'svc localnet --tls serves https on port 8443',
  )
}

function readUrl(text: string, name: string, example: string): URL {
  const url = URL.parse(text)
  if (!url) throw new UsageError(`${name} is not a URL such as ${example}: ${text}`)
  if (url.username === '' && url.password === '') return url
  throw new UsageError(`${name} holds a user name or a password, which fetch does not send`)
}

/** Method, headers and body of the call, from the flags. Throws UsageError. */
function callOf(flags: PayFlags): Omit<SellerCall, 'url'> {
  const body = flags.data
  const method = (flags.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  if (!/^[A-Z]{1,20}$/.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method)) {
    throw new UsageError(`--method is an HTTP method such as POST, not ${method}`)
  }
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new UsageError(`${method} takes no --data`)
  }
  const headers = headersOf(flags.header)
  if (body !== undefined && isJson(body) && !headers.has('content-type')) {
    headers.set('content-type', 'application/json')
  }
  return { method, headers, ...(body === undefined ? {} : { body }) }
}

/** The call of a tool, whose arguments are in `--data`. Throws UsageError. */
function toolCallOf({ data = '{}', method, header }: PayFlags): Omit<SellerCall, 'url'> {
  if (method !== undefined) throw new UsageError('a tool of an MCP server takes no --method')
  if (!isJson(data) || !data.trim().startsWith('{')) {
    throw new UsageError("--data holds the arguments of the tool, a JSON object such as '{}'")
  }
  return { method: 'tools/call', headers: headersOf(header), body: data }
}

function headersOf(given: readonly string[]): Headers {
  const headers = new Headers()
  for (const line of given) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
    try {
      headers.append(name, value)
    } catch {
      // Without the line: it may hold a token.
      throw new UsageError('--header is "NAME: VALUE", such as "Accept: text/plain"')
    }
    if (/^(payment-signature|x-payment)$/i.test(name)) {
      throw new UsageError(`--header cannot set ${name}: svc pay does`)
    }
  }
  return headers
}

/** A decimal of the token, as typed. Throws UsageError for anything else. */
function maxOf({ max }: PayFlags): string | undefined {
  if (max === undefined || /^\d{1,30}(\.\d{1,30})?$/.test(max)) return max
  throw new UsageError(`--max is a decimal of the token such as 0.05, not ${max}`)
}

/** A token contract. Throws UsageError. */
function assetOf({ asset }: PayFlags): string | undefined {
  if (asset === undefined || addressKind(asset) === 'contract') return asset
  throw new UsageError(`--asset is the address of a token contract, C..., not ${asset}`)
}

/** Throws UsageError. */
function keyPlaceOf({ account, 'key-file': keyFile, keychain }: PayFlags): KeyPlace {
  if (account !== undefined && addressKind(account) !== 'contract') {
    throw new UsageError('--account is not the address of a contract account, C...')
  }
  if (keyFile !== undefined && keychain !== undefined) {
    throw new UsageError('--key-file and --keychain both name a place of the seed: give one')
  }
  return { account, keyFile, keychain }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
