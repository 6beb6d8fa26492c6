import { getDomain } from 'tldts'
import { countedAddress } from './rate-limit/client-address.ts'

/** Who holds a host: what is shared out by it, one holder cannot take with hosts that cost nothing. */
export interface HostHolder {
  /** The registrable domain, by the list that has providers like `github.io` for suffixes too; for an IP address, its network. */
  readonly owner: string
  /** The domain that somebody has registered: `github.io` for all its customers. All addresses are as one. */
  readonly domain: string
}

/**
 * Names that no host should have, like `-1.example.com`, resolve all the same wherever a server of names has them: they count
 * on their domain as well.
 */
const ANY_NAME = { validateHostname: false, extractHostname: false }

export function holderOf(host: string): HostHolder {
  const network = countedAddress(host)
  if (network !== undefined) return { owner: network, domain: 'addresses' }
  const owner = getDomain(host, { ...ANY_NAME, allowPrivateDomains: true }) ?? host
  return { owner, domain: getDomain(host, ANY_NAME) ?? host }
}
