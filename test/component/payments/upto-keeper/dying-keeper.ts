/** A keeper that dies at a chosen moment, as a process does: nothing of it runs afterwards, and its lease stays. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { leaseForTransaction } from '../../../../src/payments/store/channels/lease-for-transaction.ts'
import {
  acquireKeeperLease,
  type KeeperLease,
} from '../../../../src/payments/store/upto/keeper-lease.ts'
import { keepContract } from '../../../../src/payments/upto-keeper/keep-contract.ts'
import { quoteWork } from '../../../../src/payments/upto-keeper/quote-work.ts'
import { KEEPER_FEE_LIMIT } from '../../../../src/payments/upto-keeper/start-keeper.ts'
import { storedJournal } from '../../../../src/payments/upto-keeper/work-journal.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { contract, FLOOR, type KeeperWorld, network, TARGET } from './keeper-world.ts'

export const deaths = ['before it records', 'before it sends', 'after it has sent'] as const
export type Death = (typeof deaths)[number]

const killed = (): never => {
  throw new Error('killed')
}

/** Waits until no other process holds the lease. The one that gets it is as if killed: it does not give it back. */
export async function takeLease({ stack }: KeeperWorld): Promise<KeeperLease> {
  for (;;) {
    const request = { holder: `dying/${randomUUID()}`, ttlMs: 60_000, whenDue: false }
    const lease = await acquireKeeperLease(stack.store.db, { network, contract }, request)
    if (lease) return lease
    await systemClock.sleep(10)
  }
}

/** The time to live of its lease is over. */
export const expireLease = ({ stack }: KeeperWorld) =>
  sql`update upto_keepers set lease_expires_at = clock_timestamp()`.execute(stack.store.db)

/** One round of a keeper that is killed. */
export async function keepUntil(
  { stack, rpc }: KeeperWorld,
  lease: KeeperLease,
  death: Death,
): Promise<void> {
  const { db } = stack.store
  const served = stack.facilitator.networks.get(network)
  if (!served) throw new Error('the network is not served')
  const { sponsor } = stack
  const journal = storedJournal(db, lease, { sponsor: sponsor.address, hourlyBudget: undefined })
  const dying: StellarRpc = {
    ...rpc,
    send: death === 'before it sends' ? killed : rpc.send,
    transaction: killed,
  }
  const signal = new AbortController().signal
  const inclusionFee = asStroops(100n)
  const round = keepContract({
    network,
    db,
    lease,
    keeper: { enabled: true, autoRestore: true, floorLedgers: FLOOR, targetLedgers: TARGET },
    rpc: dying,
    clock: systemClock,
    signal,
    sponsor,
    sponsorAsSource: false,
    leaseSource: async () => {
      const lengths = { owner: lease.holder, leaseTtlMs: 120_000 }
      const pool = { network, sponsor: sponsor.address } as const
      const leased = await leaseForTransaction(db, { ...pool, ...lengths })
      return (
        leased && {
          signer: served.channels.signer(leased.index),
          sequence: leased.sequence,
          outlasts: () => true,
          sent: () => {},
          ended: () => {},
          [Symbol.asyncDispose]: async () => {},
        }
      )
    },
    journal: {
      ...journal,
      record: death === 'before it records' ? killed : journal.record,
      finish: killed,
    },
    quote: (work) => quoteWork({ rpc, inclusionFee, feeLimit: KEEPER_FEE_LIMIT, signal }, work),
    onDone: killed,
  })
  await round.then(killed, (error: unknown) => {
    if (!(error instanceof Error && error.message === 'killed')) throw error
  })
}
