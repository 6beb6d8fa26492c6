import ipaddr from 'ipaddr.js'

/**
 * Whether a request may go to an address: it is a global unicast address of IPv4 or IPv6. Private, loopback,
 * link-local (cloud metadata among them), shared, multicast and reserved ranges are none, and neither are IPv6 ranges
 * that lead to an IPv4 address: mapped, NAT64 (RFC 6052), 6to4 and Teredo. A NAT64 prefix that a network chose for
 * itself looks like any other address, so it is not refused. `allowLoopback` admits 127.0.0.0/8 and ::1.
 */
export function isPublicAddress(address: string, allowLoopback: boolean): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range === 'loopback') return allowLoopback
  if (range !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return !hostPlatforms.has(parsed.toString())
  return isGlobalV6(parsed.toByteArray())
}

/** Azure answers here each of its machines about itself, though the address is a public one. */
const hostPlatforms = new Set(['168.63.129.16'])

// IANA gives out global unicast addresses from 2000::/3 only. The local NAT64 prefix 64:ff9b:1::/48 (RFC 8215) is outside.
const isGlobalV6 = ([first = 0]: readonly number[]): boolean => first >> 5 === 1
