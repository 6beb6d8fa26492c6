import { isIP } from 'node:net'
import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import { isTransientStatus } from '../origin/transient-status.ts'
import { readStellarToml, STELLAR_TOML_PATH, type StellarToml } from './stellar-toml.ts'

/** The statement of a host about its accounts. `none`: it says nothing; `unknown`: it did not answer. */
export type DomainAnswer = StellarToml | 'none' | 'unknown'

/** The URL of a host's file. A host on this machine, where development allows it, needs no certificate. */
export function stellarTomlUrl(host: string): URL {
  const isLocal =
    host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
  return new URL(`${isLocal ? 'http' : 'https'}://${host}${STELLAR_TOML_PATH}`)
}

/** Fetches a host's stellar.toml. Never throws. */
export async function readDomain(
  { fetch }: Pick<GuardedFetcher, 'fetch'>,
  url: URL,
  signal?: AbortSignal,
): Promise<DomainAnswer> {
  const answer = await fetch(url, signal ? { signal } : {})
  if ('kind' in answer) {
    return answer.kind === 'unreachable' || answer.kind === 'timeout' ? 'unknown' : 'none'
  }
  if (isTransientStatus(answer.status)) return 'unknown'
  if (answer.status !== 200) return 'none'
  return readStellarToml(answer.body) ?? 'none'
}
