import type { Clock } from '../../platform/core/time/clock.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { VaultGrant } from './vault-grant.ts'

export interface KeepValidOptions {
  readonly clock: Clock
  /** Ends it. */
  readonly signal: AbortSignal
  readonly renew: () => Promise<VaultGrant>
  /** Logs in again; the new token is then kept valid instead of this one. Undefined: only a file gives another token. */
  readonly replace: (() => Promise<unknown>) | undefined
  /** The lease is over: nothing worked in time. */
  readonly ended: () => void
}

/** A third of the lease is left for further tries, each after two thirds of what is left then. */
const SHARE = 2 / 3
/** Keeps the last tries before the end apart. */
const SHORTEST_WAIT_MS = 1_000
/** Leases can be longer than the 24 days that a timer can wait. */
const LONGEST_WAIT_MS = 86_400_000

/** How long to wait before the next try, for a token that is valid for `leftMs`. */
export const waitBeforeRenewal = (leftMs: number): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, leftMs * SHARE))

/**
 * Renews a token before its lease ends, and replaces it where Vault renews it no further. Resolves when nothing is left to do for
 * this token. It throws nothing: the next call with a token that could not be renewed shows the problem.
 */
export async function keepValid(granted: VaultGrant, options: KeepValidOptions): Promise<void> {
  const { clock, signal, renew, replace, ended } = options
  if (granted.leaseMs === undefined) return
  const firstLeaseMs = granted.leaseMs
  let endsAt = clock.now() + firstLeaseMs
  let mayRenew = granted.renewable
  while (mayRenew || replace) {
    const leftMs = endsAt - clock.now()
    if (leftMs <= 0) return ended()
    await clock.sleep(waitBeforeRenewal(leftMs), signal).catch(() => undefined)
    if (signal.aborted) return
    try {
      if (!mayRenew) return void (await replace?.())
      const { leaseMs, renewable } = await renew()
      if (leaseMs === undefined) return
      endsAt = clock.now() + leaseMs
      // A token near the longest life that Vault grants it gets ever shorter leases.
      mayRenew = renewable && (!replace || leaseMs >= firstLeaseMs / 2)
    } catch (error) {
      // It may not renew itself, or is revoked. Any other problem may be over at the next try.
      if (error instanceof SignerError && error.problem === 'denied') mayRenew = false
    }
  }
}
