import { randomUUID } from 'node:crypto'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { Signer } from '../../stellar/accounts/signer.ts'
import {
  type LeasedSource,
  leaseForTransaction,
  reserveForTransaction,
  returnSource,
} from '../store/channels/lease-for-transaction.ts'
import type { DerivedKeys } from './sponsor-keys.ts'

export interface SourceOptions {
  readonly network: NetworkId
  readonly keys: DerivedKeys
  /** Runs one statement. */
  readonly inStore: <T>(statement: (db: Db) => Promise<T>) => Promise<T>
  readonly store: Pick<Store, 'notifyFreedChannels'>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * A channel leased as the source account of one transaction. Disposing of it frees the channel, unless a
 * ledger may still include the transaction: then the lease ends by itself, after the transaction's max time.
 */
export interface TransactionSource extends AsyncDisposable {
  readonly signer: Signer
  /** The account's sequence number; absent: read it from the ledger. */
  readonly sequence: bigint | undefined
  /** Whether the lease outlasts a transaction that is valid for as long from now. */
  outlasts(validitySeconds: number): boolean
  /** The transaction is about to be sent. */
  sent(): void
  /** No ledger includes the transaction any more. @param sequence of the account now, if known */
  ended(sequence?: bigint): void
}

/** The same duration as for a settlement's lease; a transaction is valid for at most half of it. */
const LEASE_TTL_MS = 120_000
/** The database, the network and this machine may disagree about the time by as much. */
const CLOCK_MARGIN_MS = 30_000
/** A settlement ends within two or three ledgers. Then the next reservation takes another channel. */
const RESERVE_MS = 15_000
/** Twice a reservation; then all channels may be held by unresolvable settlements. */
const WAIT_MS = 30_000
const POLL_INTERVAL_MS = 200

/**
 * Leases a channel, a busy one when its settlement ends. Undefined when the sponsor has no active channel, or
 * none becomes free.
 */
export async function leaseSource(options: SourceOptions): Promise<TransactionSource | undefined> {
  const { network, keys, inStore, clock, signal } = options
  const sponsor = keys.address
  const owner = `source/${randomUUID()}`
  const lease = { network, sponsor, owner, leaseTtlMs: LEASE_TTL_MS }
  const giveUpAt = clock.now() + WAIT_MS
  for (;;) {
    const leasedAt = clock.now()
    const leased = await inStore((db) => leaseForTransaction(db, lease))
    if (leased) return toSource(options, leased, { owner, leasedAt })
    const reservation = { network, sponsor, reserveMs: RESERVE_MS }
    if (!(await inStore((db) => reserveForTransaction(db, reservation)))) return undefined
    if (clock.now() >= giveUpAt) return undefined
    await clock.sleep(POLL_INTERVAL_MS, signal)
  }
}

function toSource(
  { network, keys, inStore, store, clock }: SourceOptions,
  { account, index, sequence }: LeasedSource,
  { owner, leasedAt }: { readonly owner: string; readonly leasedAt: number },
): TransactionSource {
  let isPending = false
  let now = sequence
  return {
    signer: keys.channel(network, index),
    sequence,
    outlasts: (validitySeconds) =>
      clock.now() + validitySeconds * 1_000 <= leasedAt + LEASE_TTL_MS - CLOCK_MARGIN_MS,
    sent: () => {
      isPending = true
    },
    ended: (known) => {
      isPending = false
      now = known
    },
    [Symbol.asyncDispose]: async () => {
      if (isPending) return
      await inStore((db) => returnSource(db, { network, account, owner, sequence: now }))
      store.notifyFreedChannels(network)
    },
  }
}
