import type { FacilitatorFacts } from '../../store/explorer/facilitators.ts'
import type { FacilitatorSource } from '../../store/explorer/tables.ts'
import { readSupported } from './read-supported.ts'
import type { RegistryFetchers } from './registry-fetchers.ts'

export type SupportedAnswer =
  | { readonly ok: true; readonly facts: FacilitatorFacts }
  | {
      readonly ok: false
      /** Whether the address itself is refused; otherwise the server did not answer as it should. */
      readonly isUnsafe: boolean
      /** One sentence that repeats nothing of what the server sent. */
      readonly reason: string
    }

/** Asks a facilitator what it supports. Never throws. */
export async function askSupported(
  { supported }: Pick<RegistryFetchers, 'supported'>,
  facilitator: { readonly baseUrl: string; readonly source: FacilitatorSource },
  signal?: AbortSignal,
): Promise<SupportedAnswer> {
  const { baseUrl, source } = facilitator
  const headers = { accept: 'application/json' }
  const url = new URL(`${baseUrl}/supported`)
  const answer = await supported.fetch(url, { headers, ...(signal && { signal }) })
  if ('kind' in answer) {
    return { ok: false, isUnsafe: answer.kind === 'unsafe', reason: answer.reason }
  }
  const bad = (reason: string) => ({ ok: false, isUnsafe: false, reason }) as const
  if (answer.status !== 200) return bad(`/supported answered with status ${answer.status}.`)
  const read = readSupported(answer.body)
  if (!read) return bad('/supported did not answer with the kinds of payment that x402 defines.')
  const { name, ...facts } = read
  return { ok: true, facts: { ...facts, displayName: displayName(name, url.hostname, source) } }
}

/**
 * The name that a facilitator gives itself, else its host. One that announced itself is shown with its host in any case,
 * since it could take the name of another one.
 */
const displayName = (name: string | undefined, host: string, source: FacilitatorSource): string => {
  if (name === undefined) return host
  return source === 'announced' ? `${name} (${host})` : name
}
