/** A header of the requests to the endpoints of one origin, such as a provider's API key: no other endpoint gets it. */
export interface RpcHeader {
  /** Such as `https://rpc.example`. */
  readonly origin: string
  readonly name: string
  readonly value: string
}

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\t\x20-\x7e]+$/

/** The form of the text that `parseRpcHeaders` reads, to follow "must be" or "does not hold". */
export const RPC_HEADERS_FORM =
  'lines such as https://rpc.example X-Api-Key: KEY, without headers that a proxy or a cloud reads'

/**
 * Names in lower case, which no provider needs for a key. The author of the headers also chooses the address: with one of these a
 * request could pass for that of somebody else at a proxy, a metadata service of a cloud or an API server, or change its own length.
 */
const REFUSED: readonly RegExp[] = [
  // They belong to the connection or to the body.
  /^(connection|expect|host|http2-settings|keep-alive|te|trailers?|transfer-encoding|upgrade)$/,
  /^content-(encoding|length|type)$/,
  /^proxy-/,
  // A session, or where a request comes from.
  /^(cookie2?|forwarded|via|x-real-ip)$/,
  /^x-(client-ip|envoy-|forwarded|original-|rewrite-)/,
  // An identity that the reader trusts.
  /metadata/,
  /^(impersonate-|(x-)?remote-|x-aws-)/,
]

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
  const lowered = name.toLowerCase()
  // CGI and what follows it takes both characters for one.
  const compared = lowered.replaceAll('_', '-')
  const isRefused = REFUSED.some((pattern) => pattern.test(compared))
  const isUsable = NAME.test(name) && VALUE.test(value) && !isRefused
  return isUsable ? { origin: url.origin, name: lowered, value } : undefined
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
