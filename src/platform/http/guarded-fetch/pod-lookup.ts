import type { LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { hostResolver, type Resolve } from './resolve-host.ts'

export interface PodLookupOptions {
  /** Resolves a complete name: no search domain is added to it. */
  readonly resolve?: Resolve
  /** @default the content of `/etc/hosts` */
  readonly hosts?: string
  /** @default the content of `/etc/resolv.conf` */
  readonly resolvConf?: string
}

/**
 * A `lookup` for sockets to hosts that tenants choose. `dns.lookup` of node runs at most half of the threads of libuv, so
 * one tenant's names whose servers never answer hold the connections of everybody; more threads, or a limit for each
 * tenant, only raise the number of tenants that it takes. Here no name waits for another one. It honours the hosts file, and the
 * search domains and `ndots` of resolv.conf, so that names of Services such as `db.shop` work. It reads both files
 * once: in a pod they do not change.
 */
export function podLookup({
  resolve = hostResolver(),
  hosts = contentOf('/etc/hosts'),
  resolvConf = contentOf('/etc/resolv.conf'),
}: PodLookupOptions = {}): LookupFunction {
  const known = hostsOf(hosts)
  const { search, ndots } = searchOf(resolvConf)
  const addressesOf = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const listed = known.get(hostname.toLowerCase())
    if (listed) return listed
    const [first = hostname, ...others] = candidates(hostname, search, ndots)
    try {
      return await resolve(first)
    } catch (error) {
      for (const name of others) {
        const found = await resolve(name).catch(() => undefined)
        if (found) return found
      }
      throw error
    }
  }
  return (hostname, options, callback) => {
    const { family } = options
    addressesOf(hostname).then(
      (all) => {
        const found = all.filter((each) => !family || each.family === Number(family))
        const [first] = found
        if (!first) callback(failure(hostname, 'ENOTFOUND'), '')
        else if (options.all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(failure(hostname, error.code, error), ''),
    )
  }
}

/** `dns.lookup` words it like this, so that it is understood as what it is. */
const failure = (hostname: string, code = 'EAI_AGAIN', cause?: Error): NodeJS.ErrnoException =>
  Object.assign(new Error(`getaddrinfo ${code} ${hostname}`, { cause }), { code, hostname })

/** The full names to try, in the order of resolv.conf(5). */
function candidates(hostname: string, search: readonly string[], ndots: number): readonly string[] {
  if (hostname.endsWith('.')) return [hostname]
  const searched = search.map((domain) => `${hostname}.${domain}`)
  const dots = hostname.split('.').length - 1
  return dots >= ndots ? [hostname, ...searched] : [...searched, hostname]
}

function searchOf(resolvConf: string): { readonly search: readonly string[]; ndots: number } {
  let search: readonly string[] = []
  let ndots = 1
  for (const line of resolvConf.split('\n')) {
    const [keyword, ...words] = line.trim().split(/\s+/)
    // The last line of either counts.
    if (keyword === 'search' || keyword === 'domain') {
      search = words.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '')
    }
    const option = /^ndots:(\d+)$/.exec(words.find((word) => word.startsWith('ndots:')) ?? '')
    if (keyword === 'options' && option) ndots = Number(option[1])
  }
  return { search, ndots }
}

function hostsOf(hosts: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const found = new Map<string, readonly LookupAddress[]>()
  for (const line of hosts.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      found.set(key, [...(found.get(key) ?? []), { address, family }])
    }
  }
  return found
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
