import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/** Resolves a host name to all its addresses; throws an error with a `code`. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** One attempt of one name server, in milliseconds; a request to a stranger ends after 3 s anyway. */
const ATTEMPT_MS = 1_000
const ATTEMPTS = 2

/**
 * Resolves names of strangers. The system's own function, `dns.lookup`, blocks one of the process's four threads for
 * as long as a name server takes, so a slow one could hold up the process's connections to its store and to Stellar
 * RPC. This one blocks no thread. It asks the name servers of the system, and reads neither its hosts file nor its
 * search domains.
 */
export function hostResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS })
  if (servers) resolver.setServers(servers)
  return async (hostname) => {
    if (/(?:^|\.)localhost\.?$/.test(hostname)) return loopback
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    return [...addressesOf(v4, 4), ...addressesOf(v6, 6)]
  }
}

/** Whatever a name server says: RFC 6761. */
const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const addressesOf = (
  answer: PromiseSettledResult<readonly string[]>,
  family: 4 | 6,
): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
