import { unitsOfDecimal } from '../core/decimal.ts'
import type { CallOptions } from '../demo/buyer.ts'
import { USDC_DECIMALS } from '../demo/usdc.ts'
import { type FlagValues, flag, text, texts } from './command/flags.ts'
import { UsageError } from './command/usage-error.ts'

const RPC_EXAMPLE = 'https://soroban-testnet.stellar.org'

export const payFlags = {
  rpc: text('URL', 'Stellar RPC over https; needed with a URL'),
  method: text('METHOD', 'HTTP method (default: GET, with --body POST)'),
  header: texts('"NAME: VALUE"', 'HTTP header of the call; may be repeated'),
  body: text('TEXT', 'body of the call; JSON is sent as application/json'),
  max: text(
    'USDC',
    'the most to pay; a higher price or ceiling, or another token, is refused (a ceiling',
    'above 1 USDC also without this flag)',
  ),
  'max-amount': text('USDC', 'the same, its older name'),
  json: flag('prints one JSON object, also for a failure'),
  dir: text('DIR', 'the folder of the running demo; by default that of this clone'),
}
type PayFlags = FlagValues<typeof payFlags>

/** What to call when a URL is given. */
export interface Target {
  readonly url: string
  /** URL of Stellar RPC. */
  readonly rpc: string
}

/** A path of the running demo's API: `/forecast?days=7`. */
export const demoPathOf = ([word]: readonly string[]): string | undefined =>
  word?.startsWith('/') ? word : undefined

/** Undefined for the running demo. Throws UsageError. */
export function targetOf([url, ...rest]: readonly string[], { rpc }: PayFlags): Target | undefined {
  if (rest.length > 0) throw new UsageError(`expected one URL at most, so not '${rest[0]}'`)
  if (url === undefined || url.startsWith('/')) {
    if (rpc === undefined) return undefined
    throw new UsageError('--rpc needs a URL to pay; svc pay alone pays the running demo')
  }
  const { protocol } = readUrl(url, 'the URL to pay', 'https://api.example/weather')
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new UsageError(`the URL to pay starts with https:// or http://, not ${protocol}`)
  }
  if (rpc === undefined)
    throw new UsageError(`a URL needs --rpc as well, such as --rpc ${RPC_EXAMPLE}`)
  if (readUrl(rpc, '--rpc', RPC_EXAMPLE).protocol !== 'https:') {
    throw new UsageError(
      '--rpc must be https, because the stock client refuses plain http; ' +
        'svc localnet --tls serves https on port 8443',
    )
  }
  return { url, rpc }
}

function readUrl(text: string, name: string, example: string): URL {
  const url = URL.parse(text)
  if (!url) throw new UsageError(`${name} is not a URL such as ${example}: ${text}`)
  if (url.username === '' && url.password === '') return url
  throw new UsageError(`${name} holds a user name or a password, which fetch does not send`)
}

/** What of the call the flags set. Throws UsageError. */
export function callOf(flags: PayFlags): CallOptions {
  const { body, header } = flags
  const max = maxOf(flags)
  const method = (flags.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase()
  if (!/^[A-Z]{1,20}$/.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method)) {
    throw new UsageError(`--method is an HTTP method such as POST, not ${method}`)
  }
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new UsageError(`${method} takes no --body`)
  }
  const headers = headersOf(header)
  if (body !== undefined && isJson(body) && !headers.has('content-type')) {
    headers.set('content-type', 'application/json')
  }
  return {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(max === undefined ? {} : { maxAmount: max }),
  }
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

/** Base units of USDC. */
function maxOf({ max, 'max-amount': older }: PayFlags): bigint | undefined {
  if (max !== undefined && older !== undefined) {
    throw new UsageError('--max and --max-amount are the same flag: give one of them')
  }
  const given = max ?? older
  if (given === undefined) return undefined
  const units = unitsOfDecimal(given, USDC_DECIMALS)
  if (units !== undefined) return units
  const name = max === undefined ? '--max-amount' : '--max'
  throw new UsageError(`${name} is an amount of USDC such as 0.05, not ${given}`)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
