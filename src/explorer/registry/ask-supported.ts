import type { FacilitatorSource } from '../../store/explorer/tables.ts'
import { readSupported, type SupportedFacts } from './read-supported.ts'
import type { RegistryFetchers } from './registry-fetchers.ts'

export type SupportedAnswer =
  | { readonly ok: true; readonly facts: SupportedFacts }
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
  baseUrl: string,
  signal?: AbortSignal,
): Promise<SupportedAnswer> {
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
  return { ok: true, facts: read }
}

/**
 * The name that a facilitator gives itself, else its host. One that announced itself is shown with its host in any case,
 * since it could take the name of another one.
 */
export function displayNameOf(
  { name }: Pick<SupportedFacts, 'name'>,
  baseUrl: string,
  source: FacilitatorSource,
): string {
  const host = new URL(baseUrl).hostname
  if (name === undefined) return host
  return source === 'announced' ? `${name} (${host})` : name
}
