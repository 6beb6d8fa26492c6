import { publicPaths } from '../../../platform/core/http-paths.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { SignerKey, TrustedSigner } from '../../store/registry/signers-replace.ts'
import type { FacilitatorSource } from '../../store/tables.ts'
import { isNotServed } from '../is-not-served.ts'
import type { RegistryFetchers } from '../registry-fetchers.ts'
import { provenSigners } from './read-proofs.ts'
import { readSupported, type SupportedFacts } from './read-supported.ts'

/** A facilitator's answer to `/supported`, with all signers that it names and those that it has proven or need not prove. */
export interface FacilitatorSays extends Omit<SupportedFacts, 'signers'> {
  /** Every signer that it names. */
  readonly named: readonly SignerKey[]
  /** Proven ones, or all of a facilitator that the administrator trusts. */
  readonly signers: readonly TrustedSigner[]
}

export type SupportedAnswer =
  | { readonly ok: true; readonly facts: FacilitatorSays }
  | {
      readonly ok: false
      /** Whether the address itself is refused; otherwise the server did not answer as it should. */
      readonly isUnsafe: boolean
      /** One sentence that repeats nothing of what the server sent. */
      readonly reason: string
    }

interface Asked {
  readonly baseUrl: string
  /** An announced facilitator has to prove its signers: anyone can announce one that names those of another. */
  readonly source: FacilitatorSource
  readonly clock: Clock
  readonly signal?: AbortSignal
}

/** Asks a facilitator what it supports, and for the proofs of its signers. Never throws. */
export async function askSupported(
  { supported }: Pick<RegistryFetchers, 'supported'>,
  { baseUrl, source, clock, signal }: Asked,
): Promise<SupportedAnswer> {
  const options = { headers: { accept: 'application/json' }, ...(signal && { signal }) }
  const answer = await supported.fetch(new URL(`${baseUrl}/supported`), options)
  if ('kind' in answer) {
    return { ok: false, isUnsafe: answer.kind === 'unsafe', reason: answer.reason }
  }
  const bad = (reason: string) => ({ ok: false, isUnsafe: false, reason }) as const
  if (answer.status !== 200) return bad(`/supported answered with status ${answer.status}.`)
  const facts = readSupported(answer.body)
  if (!facts) return bad('/supported did not answer with the kinds of payment that x402 defines.')
  const says = (named: readonly SignerKey[], signers: readonly TrustedSigner[]) =>
    ({ ok: true, facts: { ...facts, named, signers } }) as const
  const named = facts.signers
  if (source !== 'announced')
    return says(
      named,
      named.map((key) => ({ ...key, provenUntil: null })),
    )
  if (named.length === 0) return says([], [])
  const proofs = await supported.fetch(new URL(baseUrl + publicPaths.proofs), options)
  // It keeps its signers while their proofs hold, as when it does not answer at all.
  if ('kind' in proofs) return bad(proofs.reason)
  if (isNotServed(proofs.status)) return says(named, [])
  if (proofs.status !== 200)
    return bad(`${publicPaths.proofs} answered with status ${proofs.status}.`)
  return says(named, provenSigners(proofs.body, { named, baseUrl, now: clock.now() }))
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
