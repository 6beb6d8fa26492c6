import { sql } from 'kysely'
import {
  type FinishRequest,
  finishBatch,
  finishSettlement,
} from '../../../src/payments/store/settlements/transitions/finish.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { monotonicMs } from '../monotonic.ts'

const network = 'stellar:testnet'
/** Number of settlements that end at once, each on a channel of its own. */
const CHANNELS = 500
/** Repeats until this much time was measured. */
const MEASURED_MS = 1_000

/** How a process finishes its settlements. */
export type Finisher = (store: Store) => (request: FinishRequest) => Promise<unknown>

/** Each in a statement of its own; Postgres notifies in its transaction, if the database has the trigger. */
export const oneByOne: Finisher = (store) => (request) => finishSettlement(store.db, request)

/** Finishes in batches, like the facilitator. */
export const together: Finisher = (store) => {
  const batch = finishBatch(store.db)
  return async (request) => {
    await batch.write(request)
    store.notifyFreedChannels(request.key.network)
  }
}

export interface FinishRate {
  readonly perSecond: number
  /** From the close of the ledger until the last settlement is finished, milliseconds: one for each ledger. */
  readonly ledgers: readonly number[]
}

/**
 * Settlements of all channels end at once, as when a ledger closes, at each of the stores an equal part; then the
 * next ledger. Preparing a ledger is not counted. Throws when a settlement is not finished, or a channel not free.
 */
export async function measureFinishes(
  stores: readonly Store[],
  finisher: Finisher,
): Promise<FinishRate> {
  const [admin] = stores
  if (!admin) throw new Error('at least one store')
  const finishes = stores.map(finisher)
  const ledgers: number[] = []
  let measuredMs = 0
  await prepareLedger(admin)
  await finishLedger(finishes, await unfinished(admin))
  while (measuredMs < MEASURED_MS) {
    await prepareLedger(admin)
    const requests = await unfinished(admin)
    const startedAt = monotonicMs()
    await finishLedger(finishes, requests)
    const ms = monotonicMs() - startedAt
    measuredMs += ms
    ledgers.push(ms)
  }
  await assertAllFinished(admin)
  return { perSecond: (ledgers.length * CHANNELS * 1_000) / measuredMs, ledgers }
}

const finishLedger = (
  finishes: readonly ((request: FinishRequest) => Promise<unknown>)[],
  requests: readonly FinishRequest[],
) => Promise.all(requests.map((request, index) => finishes[index % finishes.length]?.(request)))

/** A recorded settlement on each channel. */
async function prepareLedger({ db }: Store): Promise<void> {
  await sql`insert into channels (network, sponsor, index, account, sequence)
    select ${network}, 'GSPONSOR', index, 'GCHANNEL' || index, 100
    from generate_series(1, ${CHANNELS}::integer) as index on conflict do nothing`.execute(db)
  await sql`
    with taken as (
      insert into settlements (network, payer, nonce, attempt, state, fingerprint, scheme, asset, pay_to,
        amount, sponsor, owner, claimed_at, claim_expires_at, channel, envelope_xdr, tx_hash, inner_hash,
        max_time, recorded_at, recorded_at_ledger, due_at, fee_committed)
      select network, 'GPAYER', gen_random_uuid()::text, 1, 'submitted', hash, 'exact', 'CASSET', 'GSELLER',
        1000, sponsor, 'owner', now(), now(), account, repeat('envelope', 250), hash, hash,
        1900000000, now(), 100, now(), 40000
      from (select *, encode(sha256(gen_random_uuid()::text::bytea), 'hex') as hash from channels) free
      returning id, channel)
    update channels set lease_owner = 'owner', lease_settlement = taken.id, lease_expires_at = 'infinity'
    from taken where channels.account = taken.channel`.execute(db)
}

/** In the order in which the network returns transactions: none. */
async function unfinished({ db }: Store): Promise<readonly FinishRequest[]> {
  const rows = await db
    .selectFrom('settlements')
    .select(['payer', 'nonce', 'tx_hash'])
    .where('state', '=', 'submitted')
    .orderBy('tx_hash')
    .execute()
  return rows.map(({ payer, nonce, tx_hash: transaction }) => ({
    key: { network, payer, nonce },
    attempt: 1,
    state: 'succeeded',
    response: { success: true, transaction, network, payer },
    ledger: 101,
    feeCharged: asStroops(33_029n),
    sequence: 'keep',
  }))
}

async function assertAllFinished({ db }: Store): Promise<void> {
  const { rows } = await sql<{ open: bigint; leased: bigint; counted: string; finished: bigint }>`
    select count(*) filter (where state = 'submitted') as open,
      count(*) filter (where state = 'succeeded') as finished,
      (select count(*) from channels where lease_owner is not null) as leased,
      (select sum(requests) from usage_counts where outcome = 'success') as counted
    from settlements`.execute(db)
  const [row] = rows
  if (row && row.open === 0n && row.leased === 0n && BigInt(row.counted) === row.finished) return
  throw new Error(`not every settlement was finished once: ${JSON.stringify(row, String)}`)
}
