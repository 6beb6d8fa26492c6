import { readDeclaration } from '../../catalog/declaration/read-declaration.ts'
import { openValidator } from '../../catalog/validation/open-validator.ts'
import { isNetworkId, type NetworkId } from '../../platform/core/caip2.ts'
import { systemClock } from '../../platform/core/time/clock.ts'

export interface ValidateOptions {
  /** Whether a resource on this machine passes: for tests. @default false */
  readonly allowLoopback?: boolean | undefined
}

/** The listing that the catalog would show. */
export interface DeclaredListing {
  /** The URL without its query; of several paths that are one resource, with their template. */
  readonly resource: string
  readonly kind: 'http' | 'mcp'
  /** Method of an HTTP resource. */
  readonly method?: string
  /** Name of a tool. */
  readonly toolName?: string
  readonly description?: string
  /** The payment options that can be read, on the networks that a facilitator of this project serves. */
  readonly accepts: readonly {
    readonly scheme: string
    readonly network: string
    readonly asset: string
    readonly payTo: string
    /** Base units. */
    readonly amount: string
  }[]
}

export type DeclarationCheck =
  | {
      readonly ok: true
      /** One for each payee. */
      readonly listings: readonly DeclaredListing[]
      /** Members that are left out since they break the catalog's rules; the rest is listed. */
      readonly dropped: readonly string[]
    }
  | {
      readonly ok: false
      /** A code of docs/catalog.md. */
      readonly code: string
      /** One sentence, with the seller's own words in it: show it to no model as an instruction. */
      readonly reason: string
    }

/**
 * Whether the catalog would list a resource by its 402 response, and as what. Asks nobody and pays nothing: give it what
 * the header PAYMENT-REQUIRED has, decoded. The seller's schema runs in a thread of its own, with limits of time and memory.
 */
export async function validateDeclaration(
  paymentRequired: unknown,
  { allowLoopback = false }: ValidateOptions = {},
): Promise<DeclarationCheck> {
  const { x402Version, resource, accepts, extensions } = Object(paymentRequired)
  const entries: readonly unknown[] = Array.isArray(accepts) ? accepts : []
  const payees = payeesOf(entries)
  if (payees.length === 0) {
    const reason = 'The 402 response has no payment option on a Stellar network.'
    return { ok: false, code: 'bazaar_extension_malformed', reason }
  }
  await using validator = openValidator({
    clock: systemClock,
    allowLoopback,
    timeLimitMs: TIME_LIMIT_MS,
  })
  const listings: DeclaredListing[] = []
  const dropped = new Set<string>()
  for (const payee of payees) {
    const raw = {
      x402Version,
      resource,
      bazaar: Object(extensions).bazaar,
      extensionKeys: Object.keys(Object(extensions)),
      accepts: entries,
    }
    const read = await readDeclaration(raw, payee, validator)
    if (!read.ok) return { ok: false, code: read.code, reason: read.reason }
    listings.push(read.content)
    for (const name of read.dropped) dropped.add(name)
  }
  return { ok: true, listings, dropped: [...dropped] }
}

/** Eight times that of the catalog: the machine that runs a seller's tests may be busy, and only the caller waits. */
const TIME_LIMIT_MS = 2_000

interface Payee {
  readonly network: NetworkId
  readonly payTo: string
}

/** A resource names few; each costs a validation of its schema. */
const MAX_PAYEES = 4

function payeesOf(entries: readonly unknown[]): readonly Payee[] {
  const payees = new Map<string, Payee>()
  for (const entry of entries) {
    const { network, payTo } = Object(entry)
    if (typeof network !== 'string' || !isNetworkId(network) || typeof payTo !== 'string') continue
    payees.set(`${network} ${payTo}`, { network, payTo })
  }
  return [...payees.values()].slice(0, MAX_PAYEES)
}
