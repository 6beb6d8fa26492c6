import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

/** Shared by all clients without an address, as over a Unix socket. */
const UNKNOWN = 'unknown'

export interface Arrival {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingMessage['headers']
}

/**
 * The address a request is counted under: an IPv4 address, or the /64 of an IPv6 address, since
 * one customer gets that many at least (RFC 6177).
 *
 * Each trusted proxy appends to `X-Forwarded-For` the address that it got the request from. So the
 * client is as many entries from the right as there are proxies; the client itself may have written
 * the entries left of that. Trusted proxies alone wrote a shorter list: its first entry is the client.
 *
 * @param trustedHops 0: the header is not read
 */
export function clientAddress({ socket, headers }: Arrival, trustedHops: number): string {
  const peer = socket.remoteAddress ?? ''
  return countedAddress(forwarded(headers, trustedHops) ?? peer) ?? countedAddress(peer) ?? UNKNOWN
}

function forwarded(headers: IncomingMessage['headers'], hops: number): string | undefined {
  return hops === 0 ? undefined : forwardedEntry(headers['x-forwarded-for'] ?? '', hops)
}

/** The entry of an `X-Forwarded-...` header that the outermost of these proxies wrote. */
export function forwardedEntry(
  header: string | readonly string[] | undefined,
  hops: number,
): string | undefined {
  if (header === undefined) return undefined
  const entries = String(header).split(',')
  return entries[Math.max(0, entries.length - hops)]?.trim()
}

/** An IPv4 address, or the /64 of an IPv6 address; undefined for anything else. */
export function countedAddress(entry: string): string | undefined {
  const address = bareAddress(entry)
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [groups[6], groups[7]].flatMap((group = 0) => bytesOf(group)).join('.')
  const prefix = groups.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::/64`
}

/**
 * The network that a counted address belongs to: an IPv4 address itself, or the /48 of an IPv6 address, which providers give to one
 * customer for the asking. Networks share what clients wait for; a limit for one address counts its /64.
 */
export const networkOf = (address: string): string =>
  address.endsWith('::/64') ? `${address.split(':').slice(0, 3).join(':')}::/48` : address

/** Without a port, brackets and a zone, which some proxies write. */
const bareAddress = (entry: string): string =>
  entry
    .replace(/^\[(?<inside>.*)\](:\d+)?$/, '$<inside>')
    .replace(/^(?<v4>[\d.]+):\d+$/, '$<v4>')
    .replace(/%.*$/, '')

const bytesOf = (group: number): number[] => [group >> 8, group & 0xff]

/** The eight numbers of an IPv6 address; `::` stands for as many zeros as are missing. */
function groupsOf(address: string): number[] {
  const [left = '', right = ''] = address.split('::')
  const [before, after] = [numbersOf(left), numbersOf(right)]
  const zeros = new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0)
  return [...before, ...zeros, ...after]
}

/** Hexadecimal groups, of which the last may be an IPv4 address: two groups. */
const numbersOf = (part: string): number[] =>
  part === ''
    ? []
    : part.split(':').flatMap((group) => {
        if (!group.includes('.')) return [Number.parseInt(group, 16)]
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
        return [(a << 8) | b, (c << 8) | d]
      })
