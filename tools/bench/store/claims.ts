import { sql } from 'kysely'
import type {
  ClaimOutcome,
  ClaimRequest,
} from '../../../src/payments/store/settlements/claim/claim-request.ts'
import {
  claimBatch,
  claimWithChannel,
} from '../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../src/payments/store/settlements/claim/release.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { asUsdUnits } from '../../../src/platform/core/amounts/usd.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { monotonicMs } from '../monotonic.ts'

const network = 'stellar:testnet'
const sponsor = 'GSPONSOR'
const owner = 'bench'
const CHANNELS = 200

/** How a process claims. */
export type Claimer = (store: Store) => (request: ClaimRequest) => Promise<ClaimOutcome>

export const claimAlone: Claimer = (store) => (request) => claimWithChannel(store.db, request)

/** Claims in batches, like the facilitator. */
export const claimTogether: Claimer = (store) => {
  const batch = claimBatch(store.db)
  return (request) => batch.write(request)
}

export interface ClaimRates {
  /** Claims in a second, each released at once. */
  readonly withoutBudget: number
  readonly withBudget: number
}

/** Short and in turn, so that both see the same machine. */
const SLICES = 10
const SLICE_MS = 200

/** Measures claims with and without an hourly budget, side by side, with so many under way at a time. */
export async function compareBudget(
  store: Store,
  claimer: Claimer,
  concurrency: number,
): Promise<ClaimRates> {
  const load = { claimer, concurrency, forMs: SLICE_MS }
  const rates = { withoutBudget: 0, withBudget: 0 }
  for (let slice = 0; slice < SLICES; slice++) {
    rates.withoutBudget += (await measureClaims(store, { ...load, hasBudget: false })) / SLICES
    rates.withBudget += (await measureClaims(store, { ...load, hasBudget: true })) / SLICES
  }
  return rates
}

interface ClaimLoad {
  readonly claimer: Claimer
  readonly concurrency: number
  readonly forMs: number
  readonly hasBudget: boolean
}

let nonces = 0

async function measureClaims(store: Store, load: ClaimLoad): Promise<number> {
  const claim = load.claimer(store)
  const until = monotonicMs() + load.forMs
  const startedAt = monotonicMs()
  let claims = 0
  const work = async () => {
    while (monotonicMs() < until) {
      const request = requestOf(`${nonces++}`, load.hasBudget)
      const outcome = await claim(request)
      if (outcome.kind !== 'claimed') throw new Error(`not claimed: ${outcome.kind}`)
      claims += 1
      await releaseClaim(store.db, { key: request.key, owner, attempt: outcome.attempt })
    }
  }
  await Promise.all(Array.from({ length: load.concurrency }, work))
  return (claims * 1_000) / (monotonicMs() - startedAt)
}

const requestOf = (nonce: string, hasBudget: boolean): ClaimRequest => ({
  key: { network, payer: 'GPAYER', nonce },
  fingerprint: '0'.repeat(64),
  facts: { scheme: 'exact', asset: 'CASSET', payTo: 'GSELLER', amount: 1_000n },
  expirationLedger: 1_000_000,
  sponsor,
  owner,
  claimTtlMs: 30_000,
  leaseTtlMs: 120_000,
  budget: {
    fee: asStroops(40_000n),
    ...(hasBudget && { hourly: asStroops(10n ** 15n) }),
  },
  metering: { caller: 'public', serviceFee: asUsdUnits(0n) },
  limitToFunds: false,
})

/** Adds settlements that ended within the last hour until there are so many. */
export async function fillHour({ db }: Store, settlements: number): Promise<void> {
  await sql`insert into channels (network, sponsor, index, account, sequence)
    select ${network}, ${sponsor}, index, 'GCHANNEL' || index, 100
    from generate_series(1, ${CHANNELS}::integer) as index on conflict do nothing`.execute(db)
  const { rows } = await sql<{ stored: bigint }>`select count(*) as stored from settlements
    where state = 'succeeded'`.execute(db)
  const missing = settlements - Number(rows[0]?.stored ?? 0n)
  const PART = 50_000
  for (let left = missing; left > 0; left -= PART) {
    await sql`insert into settlements (network, payer, nonce, attempt, state, fingerprint, scheme, asset,
        pay_to, amount, sponsor, owner, claimed_at, claim_expires_at, channel, envelope_xdr, tx_hash,
        inner_hash, max_time, recorded_at, recorded_at_ledger, due_at, fee_committed, fee_charged, ledger,
        response, finished_at)
      select ${network}, 'GPAYER' || n % 1000, gen_random_uuid()::text, 1, 'succeeded', hash, 'exact',
        'CASSET', 'GSELLER', 1000, ${sponsor}, 'owner', now() - n % 3500 * interval '1 second', now(),
        'GCHANNEL1', 'envelope', hash, hash, 1900000000, now(), 100, now(), 40000, 33029, 101, '{}', now()
      from (select n, encode(sha256(gen_random_uuid()::text::bytea), 'hex') as hash
        from generate_series(1, ${Math.min(left, PART)}::integer) n) as made`.execute(db)
  }
  await sql`vacuum analyze settlements`.execute(db)
}
