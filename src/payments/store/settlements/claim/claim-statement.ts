import { type SqlBool, sql } from 'kysely'
import { claimableStates, type Db } from '../../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../../platform/database/sql-time.ts'
import { storableText } from '../../../../platform/database/storable-text.ts'
import type { ClaimRefusal, ClaimRequest } from './claim-request.ts'
import { boundIdentifiers, refusalByIdentifier } from './identifiers.ts'
import { freeChannels, leaseFree } from './leased-channel.ts'

/** The result of the statement for one request. */
export interface ClaimRow {
  /** Why it was not claimed; `deferred`: an earlier claim of the same statement decides. */
  readonly refusal: ClaimRefusal | 'deferred' | null
  /** Null when it was refused, or another process holds the claim. */
  readonly attempt: number | null
  readonly account: string | null
  readonly index: number | null
  readonly sequence: bigint | null
}

/**
 * Claims authorizations and leases free channels for them in one statement; returns a row for each, in their
 * order. All requests are of one process for one sponsor; no two are for the same authorization, or have the same id.
 *
 * Locks are taken in this order: payers by asset (when limited to their funds), settlements by their keys, free
 * channels without a wait, ids, and last the sponsor's budget, so that it is held for the shortest time. When the
 * claims together exceed the budget or a caller's share of it, or another statement has just bound one of their ids, the
 * statement throws, and nothing is written.
 */
export async function claimStatement(
  db: Db,
  requests: readonly ClaimRequest[],
): Promise<ClaimRow[]> {
  const [first] = requests
  if (!first) return []
  const { key, sponsor, waitsInLine = false, channelsBelow } = first
  const { network } = key
  return db
    .with('request', () => requestRows(first, requests))
    .with('written', () => writtenClaims(first))
    .with('claim', () => numberedClaims)
    .with('free', (cte) =>
      freeChannels(cte, { network, sponsor, channelsBelow }).$if(waitsInLine, (query) =>
        query.where(sql<SqlBool>`false`),
      ),
    )
    .with('leased', (cte) => leaseFree(cte, first))
    .with('bound', () => (haveIdentifiers(requests) ? boundIdentifiers(network) : none))
    .with('held', () => heldFees(first))
    .selectFrom('request')
    .leftJoin('claim', 'claim.request', 'request.place')
    .leftJoin('leased', 'leased.settlement', 'claim.id')
    .select([
      'request.refusal',
      'claim.attempt',
      'leased.account',
      'leased.index',
      'leased.sequence',
      // Reads `held`, which Postgres would leave out otherwise.
      (eb) => eb.selectFrom('held').select(eb.fn.countAll().as('checks')).as('checks'),
    ])
    .orderBy('request.place')
    .execute()
}

/** Almost no payment has an id: the statement of the others reads no table of ids. */
const haveIdentifiers = (requests: readonly ClaimRequest[]): boolean =>
  requests.some(({ identifier }) => identifier !== undefined)

/** The requests, each with the reason for which it is refused. */
function requestRows({ key, sponsor, budget }: ClaimRequest, requests: readonly ClaimRequest[]) {
  const isLimitedToFunds = requests.some(({ limitToFunds }) => limitToFunds)
  const byIdentifier = haveIdentifiers(requests) ? refusalByIdentifier(key.network) : sql`null`
  // The budget is read without the lock, so that a spent budget costs neither writes nor locks; `heldFees` checks again.
  const refusalByBudget =
    budget.hourly === undefined
      ? sql`null`
      : sql`case when (select fees_of_last_hour(${key.network}, ${sponsor}, '')) + fee > ${budget.hourly}
          then 'over_budget' end`
  const refusalByShare =
    budget.keyShare === undefined
      ? sql`null`
      : sql`case when fees_of_last_hour(${key.network}, ${sponsor}, caller) + fee > ${budget.keyShare}
          then 'over_key_share' end`
  const refusalByFunds = isLimitedToFunds
    ? sql`case when is_limited then refusal_by_funds(
        ${key.network}, payer, nonce, asset, amount, funds, earlier) end`
    : sql`null`
  return sql<{ place: number; refusal: ClaimRow['refusal'] }>`(
    select asked.*,
      coalesce(${byIdentifier}, ${refusalByBudget}, ${refusalByShare}, ${refusalByFunds}) as refusal
    from (
      select *, sum(amount) over (partition by payer, asset order by place
        rows between unbounded preceding and 1 preceding) as earlier
      from json_to_recordset(${JSON.stringify(requests.map(toRow))}::json) as rows (
        place integer, payer text, nonce text, fingerprint text, scheme text, asset text, pay_to text,
        amount numeric, resource_url text, caller text, service_fee bigint, fee bigint,
        is_limited boolean, funds numeric, expiration_ledger bigint,
        scopes text[], identifier text, payload_hash text)
      order by payer, asset, nonce
    ) asked)`
}

/** Long enough for an administrator to recognise the resource. */
export const MAX_URL_LENGTH = 2_048

const toRow = (
  {
    key,
    fingerprint,
    facts,
    expirationLedger,
    budget,
    metering,
    limitToFunds,
    funds,
    identifier,
  }: ClaimRequest,
  place: number,
) => ({
  place,
  payer: key.payer,
  nonce: key.nonce,
  fingerprint,
  scheme: facts.scheme,
  asset: facts.asset,
  pay_to: facts.payTo,
  amount: facts.amount.toString(),
  resource_url: storableText(facts.resourceUrl, MAX_URL_LENGTH),
  caller: metering.caller,
  service_fee: metering.serviceFee.toString(),
  fee: budget.fee.toString(),
  is_limited: limitToFunds,
  funds: funds?.toString(),
  expiration_ledger: expirationLedger,
  scopes: identifier?.scopes,
  identifier: identifier?.identifier,
  payload_hash: identifier?.payloadHash,
})

/**
 * Inserts claims, or takes over free rows; leaves alone what another process holds. A ledger may have a refused attempt
 * after all, so no later attempt is of another request: the row says what was paid and for which request, whichever
 * attempt it was. The row itself says whether one was refused: the statement reads it as it is once it is locked, and other
 * tables as they were before it waited for the lock.
 */
const writtenClaims = ({ key, sponsor, owner, claimTtlMs }: ClaimRequest) => sql<{
  id: bigint
  owner: string
  attempt: number
  caller: string
  fee: bigint
}>`(
  insert into settlements as known (network, payer, nonce, attempt, state, fingerprint, scheme, asset,
    pay_to, amount, resource_url, sponsor, owner, claimed_at, claim_expires_at, caller, service_fee,
    fee_committed, expiration_ledger)
  select ${key.network}, payer, nonce, 1, 'claimed', fingerprint, scheme, asset,
    pay_to, amount, resource_url, ${sponsor}, ${owner}, ${databaseNow}, ${databaseTimeIn(claimTtlMs)},
    caller, service_fee, fee, expiration_ledger
  from request where refusal is null order by payer, nonce
  on conflict (network, payer, nonce) do update set
    attempt = known.attempt + 1, state = excluded.state, fingerprint = excluded.fingerprint,
    scheme = excluded.scheme, asset = excluded.asset, pay_to = excluded.pay_to, amount = excluded.amount,
    resource_url = excluded.resource_url, sponsor = excluded.sponsor, owner = excluded.owner,
    claimed_at = ${databaseNow}, claim_expires_at = ${databaseTimeIn(claimTtlMs)},
    caller = excluded.caller, service_fee = excluded.service_fee, fee_committed = excluded.fee_committed,
    expiration_ledger = excluded.expiration_ledger
  where (known.state in (${sql.join(claimableStates)})
      or (known.state = 'claimed' and known.claim_expires_at <= ${databaseNow}))
    and (known.fingerprint = excluded.fingerprint
      or not known.was_refused)
  returning known.id, known.owner, known.payer, known.nonce, known.attempt, known.caller,
    known.fee_committed as fee)`

const numberedClaims = sql<{
  id: bigint
  owner: string
  attempt: number
  caller: string
  fee: bigint
  request: number
  place: bigint
}>`(
  select written.id, written.owner, written.attempt, written.caller, written.fee, request.place as request,
    row_number() over (order by request.place) as place
  from written join request using (payer, nonce))`

const none = sql<object>`(select where false)`

/** Checks the claims together, once all else is done: it reads `leased` and `bound` to come after them. */
function heldFees({ key, sponsor, budget: { hourly, keyShare } }: ClaimRequest) {
  if (hourly === undefined) return none
  const claims = sql`claim where (select count(*) from leased) + (select count(*) from bound) >= 0`
  const held = sql`select hold_fees(${key.network}, ${sponsor}, '', sum(fee), ${hourly})
    from ${claims} having count(*) > 0`
  if (keyShare === undefined) return sql<object>`(${held})`
  return sql<object>`(${held} union all
    select hold_fees(${key.network}, ${sponsor}, caller, sum(fee), ${keyShare})
    from ${claims} group by caller)`
}
