import { type QueryCreator, sql } from 'kysely'
import type { Stroops } from '../../core/stroops.ts'
import type { UsdUnits } from '../../core/usd.ts'
import type { Database, Db } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'
import { StoreUnavailable } from '../unavailable.ts'
import { findSettlement } from './find.ts'
import {
  type ChannelPool,
  freeChannels,
  type LeasedChannel,
  leaseFree,
  toLeasedChannel,
} from './leased-channel.ts'
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
  /** Refuse the claim when the payer's unfinished settlements of this asset would exceed `funds`. */
  readonly limitToFunds: boolean
  /** The payer's balance of the asset, in its base units; absent: not read. */
  readonly funds?: bigint | undefined
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
      /** Absent while every channel is in use: call `leaseChannels` for one. */
      readonly channel: LeasedChannel | undefined
    }
  | { readonly kind: 'existing'; readonly settlement: Settlement }
  /** The fee does not fit in the hourly budget; nothing was written. */
  | { readonly kind: 'over_budget' }
  /** The fee does not fit in the caller's share of the hourly budget; nothing was written. */
  | { readonly kind: 'over_key_share' }
  /**
   * `limitToFunds` without `funds`, and the payer has other unfinished settlements of this asset: read the
   * balance and claim again. Nothing was written.
   */
  | { readonly kind: 'funds_unknown' }
  /** The payer's other unfinished settlements of this asset and this one exceed `funds`; nothing was written. */
  | { readonly kind: 'over_funds' }

type ClaimRefusal = Exclude<ClaimOutcome['kind'], 'claimed' | 'existing'>

/** The owner can release its claim after ours failed and before we read its row: then we try again. */
const CLAIM_ROUNDS = 5

/**
 * Claims an authorization and leases the least recently used free channel, in one round trip. When another
 * process has claimed it, a second round trip reads that row. Takes over rows that are released, abandoned,
 * or whose claim has expired.
 */
export async function claimWithChannel(db: Db, request: ClaimRequest): Promise<ClaimOutcome> {
  for (let round = 0; round < CLAIM_ROUNDS; round++) {
    const claimed = await claimAndLease(db, request)
    if (claimed?.kind === 'claimed') return claimed
    const settlement = await findSettlement(db, request.key)
    if (settlement && settlement.state !== 'released' && settlement.state !== 'abandoned') {
      return { kind: 'existing', settlement }
    }
    // A repeat is answered even when a limit is reached; only a new claim is limited.
    if (claimed) return claimed
  }
  throw new StoreUnavailable('the claim changed owner on every attempt')
}

async function claimAndLease(
  db: Db,
  request: ClaimRequest,
): Promise<Exclude<ClaimOutcome, { kind: 'existing' }> | undefined> {
  const row = await claimUnlessRefused(db, request).catch(overBudget)
  if (row === undefined || 'kind' in row) return row
  const { refusal, attempt, account, index, sequence } = row
  if (refusal !== null) return { kind: refusal }
  if (attempt === null) return undefined
  const channel =
    account === null || index === null ? undefined : toLeasedChannel({ account, index, sequence })
  return { kind: 'claimed', attempt, channel }
}

const claimUnlessRefused = (db: Db, request: ClaimRequest) =>
  db
    .with('refused', () => refusalByFunds(request))
    .with('claim', (cte) => claimQuery(cte, request))
    .with('free', (cte) => freeChannels(cte, poolOf(request)))
    .with('leased', (cte) => leaseFree(cte, request))
    .selectFrom('refused')
    .leftJoin('claim', (join) => join.onTrue())
    .leftJoin('leased', (join) => join.onTrue())
    .select([
      'refused.refusal',
      'claim.attempt',
      'leased.account',
      'leased.index',
      'leased.sequence',
    ])
    .executeTakeFirst()

const poolOf = ({ key, sponsor }: ClaimRequest): ChannelPool => ({ network: key.network, sponsor })

/** One row; its refusal is null when the claim may go ahead. */
const refusalByFunds = ({ key, facts, limitToFunds, funds }: ClaimRequest) => {
  const { network, payer, nonce } = key
  const { asset, amount } = facts
  return sql<{ refusal: ClaimRefusal | null }>`(select ${
    limitToFunds
      ? sql`refusal_by_funds(${network}, ${payer}, ${nonce}, ${asset}, ${amount}, ${funds ?? null})`
      : sql`null::text`
  } as refusal)`
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

/** Inserts the claim, or takes over a free row; returns no row when it is refused or another process holds the claim. */
function claimQuery(
  db: QueryCreator<Database & { refused: { refusal: string | null } }>,
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
  const row = { ...key, ...claim, attempt: 1 } as const
  return db
    .insertInto('settlements')
    .columns(Object.keys(row) as (keyof typeof row)[])
    .expression(sql`select ${sql.join(Object.values(row))} from refused where refusal is null`)
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
    .returning(['settlements.id', 'settlements.attempt', sql<bigint>`1`.as('place')])
}
