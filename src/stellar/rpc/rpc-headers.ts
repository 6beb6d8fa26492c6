/** A header of the requests to the endpoints of one origin, such as a provider's API key: no other endpoint gets it. */
export interface RpcHeader {
  /** Such as `https://rpc.example`. */
  readonly origin: string
  readonly name: string
  readonly value: string
}

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\t\x20-\x7e]+$/
/** Headers that belong to the connection or to the body. */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Reads lines such as `https://rpc.example X-Api-Key: KEY`; undefined when one of them is something else. */
export function parseRpcHeaders(text: string): readonly RpcHeader[] | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const headers = lines.filter((line) => line !== '').map(headerOf)
  return headers.every((header) => header !== undefined) ? headers : undefined
}

function headerOf(line: string): RpcHeader | undefined {
  const [, address = '', name = '', value = ''] = /^(\S+)\s+([^\s:]+):\s*(.*)$/.exec(line) ?? []
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol) || address.replace(/\/$/, '') !== url.origin) {
    return undefined
  }
  const isUsable = NAME.test(name) && VALUE.test(value) && !reserved.has(name.toLowerCase())
  return isUsable ? { origin: url.origin, name: name.toLowerCase(), value } : undefined
}

/** The headers for one endpoint. */
export const headersFor = (
  url: string,
  headers: readonly RpcHeader[],
): Readonly<Record<string, string>> => {
  const origin = URL.parse(url)?.origin
  return Object.fromEntries(
    headers.filter((each) => each.origin === origin).map(({ name, value }) => [name, value]),
  )
}
