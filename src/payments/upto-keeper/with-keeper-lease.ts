import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import {
  type KeeperLease,
  KeeperLeaseLost,
  releaseKeeperLease,
  renewKeeperLease,
} from '../store/upto/keeper-lease.ts'

/** A replica that dies gives the lease to another one within this time. */
export const KEEPER_LEASE_TTL_MS = 30_000

export interface HeldLease {
  readonly db: Db
  readonly lease: KeeperLease
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Renews the lease while the work goes on, and gives it back afterwards.
 * @param work gets a signal that also aborts, with `KeeperLeaseLost`, when another process has taken the lease over.
 * @returns what the work returned; its `dueInMs` says when the next round of any replica is due
 */
export async function withKeeperLease<T extends { readonly dueInMs: number | undefined }>(
  { db, lease, clock, signal }: HeldLease,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const renewal = startBackgroundLoop({
    run: () => renewKeeperLease(db, lease, KEEPER_LEASE_TTL_MS),
    pauseMs: KEEPER_LEASE_TTL_MS / 3,
    first: 'pause',
    clock,
    // The database may answer the next one; each write checks the lease anyway.
    onError: (error) => {
      if (error instanceof KeeperLeaseLost) lost.abort(error)
    },
  })
  let dueInMs: number | undefined
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]))
    dueInMs = result.dueInMs
    return result
  } finally {
    await renewal[Symbol.asyncDispose]()
    await releaseKeeperLease(db, lease, dueInMs)
  }
}
