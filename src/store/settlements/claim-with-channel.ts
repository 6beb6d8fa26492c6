import { sql } from 'kysely'
import type { Stroops } from '../../core/stroops.ts'
import type { UsdUnits } from '../../core/usd.ts'
import type { Db } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'
import { StoreUnavailable } from '../unavailable.ts'
import { findSettlement } from './find.ts'
import { freeChannel, type LeasedChannel, leaseFree, toLeasedChannel } from './leased-channel.ts'
import type { Settlement, SettlementFacts, SettlementKey } from './settlement.ts'

export interface ClaimRequest {
  readonly key: SettlementKey
  /** SHA-256 of the request, hex. */
  readonly fingerprint: string
  readonly facts: SettlementFacts
  /** The account whose channels serve this claim. */
  readonly sponsor: string
  /** The claiming process; no two processes share one. */
  readonly owner: string
  readonly claimTtlMs: number
  readonly leaseTtlMs: number
  readonly budget: FeeBudget
  readonly metering: Metering
}

interface Metering {
  /** The caller whose usage counts it. */
  readonly caller: string
  /** Accrued for the caller if it succeeds. */
  readonly serviceFee: UsdUnits
}

interface FeeBudget {
  /** The most this settlement can cost. */
  readonly fee: Stroops
  /** The most the sponsor's settlements of an hour may cost together; no limit when absent. */
  readonly hourly?: Stroops | undefined
}

export type ClaimOutcome =
  | {
      readonly kind: 'claimed'
      readonly attempt: number
      /** Absent while every channel is in use: call `leaseChannel` for one. */
      readonly channel: LeasedChannel | undefined
    }
  | { readonly kind: 'existing'; readonly settlement: Settlement }
  /** The fee does not fit in the hourly budget; nothing was written. */
  | { readonly kind: 'over_budget' }

/** The owner can release its claim after ours failed and before we read its row: then we try again. */
const CLAIM_ROUNDS = 5

/**
 * Claims an authorization and leases the least recently used free channel, in one round trip. When another
 * process has claimed it, a second round trip reads that row. Takes over rows that are released, abandoned,
 * or whose claim has expired.
 */
export async function claimWithChannel(db: Db, request: ClaimRequest): Promise<ClaimOutcome> {
  for (let round = 0; round < CLAIM_ROUNDS; round++) {
    const claimed = await claimAndLease(db, request).catch(overBudget)
    if (claimed?.kind === 'claimed') return claimed
    const settlement = await findSettlement(db, request.key)
    if (settlement && settlement.state !== 'released' && settlement.state !== 'abandoned') {
      return { kind: 'existing', settlement }
    }
    // A repeat is answered even when the budget is spent; only a new claim needs budget.
    if (claimed) return claimed
  }
  throw new StoreUnavailable('the claim changed owner on every attempt')
}

async function claimAndLease(db: Db, request: ClaimRequest) {
  const row = await db
    .with('claim', (cte) => claimQuery(cte, request))
    .with('free', freeChannel)
    .with('leased', (cte) => leaseFree(cte, request))
    .selectFrom('claim')
    .leftJoin('leased', (join) => join.onTrue())
    .select(['claim.attempt', 'leased.account', 'leased.index', 'leased.sequence'])
    .executeTakeFirst()
  if (!row) return undefined
  const { attempt, account, index, sequence } = row
  const channel =
    account === null || index === null ? undefined : toLeasedChannel({ account, index, sequence })
  return { kind: 'claimed', attempt, channel } as const
}

/** SQLSTATE that `commit_fee` raises. */
const BUDGET_SPENT = 'SVC01'

function overBudget(error: unknown): { readonly kind: 'over_budget' } {
  if (error instanceof Error && 'code' in error && error.code === BUDGET_SPENT) {
    return { kind: 'over_budget' }
  }
  throw error
}

/** Long enough for an administrator to recognise the resource. */
const MAX_URL_LENGTH = 2_048

/** The payer chooses the URL. It may contain NUL, which no Postgres text can hold. */
const storable = (url: string | undefined): string | null =>
  url?.replaceAll('\0', '').slice(0, MAX_URL_LENGTH) ?? null

/** Inserts the claim, or takes over a free row; returns no row when another process holds the claim. */
function claimQuery(
  db: Pick<Db, 'insertInto'>,
  { key, fingerprint, facts, sponsor, owner, claimTtlMs, budget, metering }: ClaimRequest,
) {
  const claim = {
    fingerprint,
    scheme: facts.scheme,
    asset: facts.asset,
    pay_to: facts.payTo,
    amount: facts.amount,
    resource_url: storable(facts.resourceUrl),
    sponsor,
    owner,
    claimed_at: databaseNow,
    claim_expires_at: databaseTimeIn(claimTtlMs),
    state: 'claimed',
    caller: metering.caller,
    service_fee: metering.serviceFee,
    fee_committed: sql<bigint>`commit_fee(${key.network}, ${sponsor}, ${budget.fee}, ${budget.hourly ?? null})`,
  } as const
  return db
    .insertInto('settlements')
    .values({ ...key, ...claim, attempt: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'payer', 'nonce'])
        .doUpdateSet((eb) => ({
          ...claim,
          fee_committed: eb.ref('excluded.fee_committed'),
          attempt: eb('settlements.attempt', '+', 1),
        }))
        .where((eb) =>
          eb.or([
            eb('settlements.state', 'in', ['released', 'abandoned']),
            eb.and([
              eb('settlements.state', '=', 'claimed'),
              eb('settlements.claim_expires_at', '<=', databaseNow),
            ]),
          ]),
        ),
    )
    .returning([
      'settlements.id',
      'settlements.network',
      'settlements.sponsor',
      'settlements.attempt',
    ])
}
