/** `svc upto deploy`, `extend` and `restore` work with this: the same lease, journal and sender as the keeper. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { leaseSource } from '../../../payments/channels/transaction-source.ts'
import { inclusionBid } from '../../../payments/engine/send/inclusion-fee.ts'
import { writeKeeperFindings } from '../../../payments/store/upto/keeper-findings.ts'
import { acquireKeeperLease, type KeeperLease } from '../../../payments/store/upto/keeper-lease.ts'
import type { KeeperWork } from '../../../payments/store/upto/keeper-transactions.ts'
import { finishLeftOver } from '../../../payments/upto-keeper/keep-contract.ts'
import { KeeperFailure } from '../../../payments/upto-keeper/keeper-failure.ts'
import {
  type QuoteOptions,
  quoteWork,
  type WorkQuote,
} from '../../../payments/upto-keeper/quote-work.ts'
import { sendWork, type WorkDone } from '../../../payments/upto-keeper/send-work.ts'
import { KEEPER_FEE_LIMIT } from '../../../payments/upto-keeper/start-keeper.ts'
import {
  KEEPER_LEASE_TTL_MS,
  withKeeperLease,
} from '../../../payments/upto-keeper/with-keeper-lease.ts'
import { storedJournal, type WorkJournal } from '../../../payments/upto-keeper/work-journal.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import type { ContractWork } from '../../../stellar/contracts/contract-work.ts'
import type { AdminTask } from '../admin-command.ts'

/** Simulates one transaction. Throws `KeeperFailure`, and RpcError. */
export async function quote(
  { network, rpc, signal }: Pick<AdminTask, 'network' | 'rpc' | 'signal'>,
  work: ContractWork,
  limit: Pick<QuoteOptions, 'feeLimit' | 'whenDearer'> = { feeLimit: KEEPER_FEE_LIMIT },
): Promise<WorkQuote> {
  const { floorStroops: floor, capStroops: cap } = network.inclusionFee
  const stats = await rpc.feeStats(signal)
  const inclusionFee = inclusionBid(stats, { floor, cap, percentile: 'p90' })
  return quoteWork({ rpc, inclusionFee, signal, ...limit }, work)
}

/** The right to act on one contract. */
export interface ContractDesk {
  readonly signal: AbortSignal
  /** Sends one transaction and waits for its end. Throws `KeeperFailure`. */
  send(quote: WorkQuote): Promise<WorkDone>
  /** Nothing more has to be done: the keeper's plan and error are over. */
  allDone(): Promise<void>
}

/** A round of the keeper sends at most two transactions; each is valid for a minute. */
const WAIT_MS = 150_000
const POLL_INTERVAL_MS = 250

/**
 * Does the work as the holder of the contract's lease, after what a process left under way when it died. Waits while
 * the keeper has the lease. Brings the schema up to date first. With STORE=memory there is no lease.
 */
export async function atContract<T>(
  task: AdminTask,
  { contract, action }: { readonly contract: string; readonly action: KeeperWork },
  work: (desk: ContractDesk) => Promise<T>,
): Promise<T> {
  const { sponsors, store, signal } = task
  if (!store) {
    const send = (quoted: WorkQuote) => sendFor(task, undefined, quoted, signal)
    return work({ signal, send, allDone: async () => {} })
  }
  await store.migrate()
  const { db } = store
  const sponsor = sponsors.keys.address
  const lease = await takeLease(task, { contract, action })
  const held = { db, lease, clock: systemClock, signal }
  const { result } = await withKeeperLease(held, async (limit) => {
    const journal = storedJournal(db, lease, { sponsor, hourlyBudget: undefined })
    await finishOthers(task, { lease, journal, signal: limit })
    const desk: ContractDesk = {
      signal: limit,
      send: (quoted) => sendFor(task, journal, quoted, limit),
      allDone: () => writeKeeperFindings(db, lease, { isChecked: true, plan: null, error: null }),
    }
    return { result: await work(desk), dueInMs: undefined }
  })
  return result
}

async function takeLease(
  { network, store, signal }: AdminTask,
  { contract, action }: { readonly contract: string; readonly action: KeeperWork },
): Promise<KeeperLease> {
  if (!store) throw new Error('a store in memory has no lease')
  const kept = { network: network.id, contract }
  const holder = `svc-upto/${hostname()}/${randomUUID()}`
  const request = { holder, ttlMs: KEEPER_LEASE_TTL_MS, whenDue: false }
  const giveUpAt = systemClock.now() + WAIT_MS
  for (;;) {
    const lease = await acquireKeeperLease(store.db, kept, request)
    if (lease) return lease
    if (systemClock.now() >= giveUpAt) {
      throw new KeeperFailure(
        action,
        'refused',
        `the keeper, or another command, has worked on ${contract} for ${WAIT_MS / 1_000} s: try again when svc upto status shows no plan`,
      )
    }
    await systemClock.sleep(POLL_INTERVAL_MS, signal)
  }
}

/** How it ended does not matter here: the work begins with what is on the ledger then. */
async function finishOthers(
  { rpc, store }: AdminTask,
  rest: {
    readonly lease: KeeperLease
    readonly journal: WorkJournal
    readonly signal: AbortSignal
  },
): Promise<void> {
  if (!store) return
  const options = { rpc, clock: systemClock, db: store.db, onDone: () => {}, ...rest }
  await finishLeftOver(options).catch((error: unknown) => {
    if (!(error instanceof KeeperFailure)) throw error
  })
}

function sendFor(
  { network: { id }, sponsors: { keys }, rpc, store }: AdminTask,
  journal: WorkJournal | undefined,
  quoted: WorkQuote,
  signal: AbortSignal,
): Promise<WorkDone> {
  const source = {
    network: id,
    keys,
    clock: systemClock,
    signal,
  }
  const options = {
    network: id,
    sponsor: keys.signer,
    rpc,
    clock: systemClock,
    signal,
    journal,
    sponsorAsSource: true,
    leaseSource: async () =>
      store && leaseSource({ ...source, store, inStore: (statement) => statement(store.db) }),
  }
  return sendWork(options, quoted)
}
