import { isDeepStrictEqual } from 'node:util'
import { StoreUnavailable } from '../../../../platform/database/postgres/unavailable.ts'
import { claimableStates, type Db } from '../../../../platform/database/schema.ts'
import { StatementBatch } from '../../../../platform/database/statement-batch.ts'
import { findSettlements } from '../find.ts'
import { type Settlement, settlementId } from '../settlement.ts'
import type { ClaimOutcome, ClaimRefusal, ClaimRequest } from './claim-request.ts'
import { type ClaimRow, claimStatement } from './claim-statement.ts'
import { toLeasedChannel } from './leased-channel.ts'

/** The owner can release its claim after ours failed and before we read its row: then we try again. */
const CLAIM_ROUNDS = 5

/**
 * Claims an authorization and leases the least recently used free channel, in one round trip. When another
 * process has claimed it, a second round trip reads that row. Takes over rows that are released, abandoned,
 * or whose claim has expired; one with a refused attempt for the same request only.
 */
export async function claimWithChannel(db: Db, request: ClaimRequest): Promise<ClaimOutcome> {
  for (let round = 0; round < CLAIM_ROUNDS; round++) {
    const [outcome] = await claimTogether(db, [request])
    if (outcome) return outcome
  }
  const [settlement] = await findSettlements(db, [request.key])
  if (settlement && isForOther(settlement, request)) return { kind: 'existing', settlement }
  throw new StoreUnavailable('the claim changed owner on every attempt')
}

/** Few enough that the first claims do not wait long for the channels of the last. */
const MAX_ITEMS = 50
/** One more than one, so that the database works while this process answers. */
const MAX_STATEMENTS = 2

/** Claims as `claimWithChannel` does; the requests that come together share a statement. */
export const claimBatch = (db: Db): StatementBatch<ClaimRequest, ClaimOutcome> =>
  new StatementBatch({
    one: (request) => claimWithChannel(db, request),
    many: (requests) => claimAlike(db, requests),
    maxItems: MAX_ITEMS,
    maxStatements: MAX_STATEMENTS,
  })

/** Leaves out what one statement cannot claim with the first request. */
async function claimAlike(db: Db, requests: readonly ClaimRequest[]) {
  const [first] = requests
  if (!first) return []
  const taken = new Set<string>()
  const together = requests.filter((request) => {
    const names = namesOf(request)
    if (names.some((name) => taken.has(name))) return false
    if (!isDeepStrictEqual(shared(request), shared(first))) return false
    for (const name of names) taken.add(name)
    return true
  })
  const outcomes = await claimTogether(db, together)
  return requests.map((request) => outcomes[together.indexOf(request)])
}

/** What no two claims of a statement may have in common: the authorization, and the id in a scope. */
const namesOf = ({ key, identifier }: ClaimRequest): readonly string[] => [
  settlementId(key),
  ...(identifier?.scopes.map((scope) =>
    JSON.stringify([key.payer, scope, identifier.identifier]),
  ) ?? []),
]

/** The members that all claims of a statement have in common. */
const shared = ({ key, sponsor, owner, claimTtlMs, leaseTtlMs, ...request }: ClaimRequest) => {
  const { waitsInLine = false } = request
  const { hourly, keyShare } = request.budget
  return {
    network: key.network,
    sponsor,
    owner,
    claimTtlMs,
    leaseTtlMs,
    hourly,
    keyShare,
    waitsInLine,
  }
}

/**
 * Undefined for a request whose claim an earlier one of the same statement decides, and for one whose row its
 * owner released in between: claim it again.
 */
async function claimTogether(
  db: Db,
  requests: readonly ClaimRequest[],
): Promise<readonly (ClaimOutcome | undefined)[]> {
  const rows = await claimStatement(db, requests).catch((error: unknown) =>
    requests.length === 1 ? [refusedRow(error)] : Promise.reject(error),
  )
  const unclaimed = requests.filter((_, place) => rows[place]?.attempt === null)
  const found = new Map(
    (
      await findSettlements(
        db,
        unclaimed.map(({ key }) => key),
      )
    ).map((settlement) => [settlementId(settlement.key), settlement]),
  )
  return requests.map((request, place) =>
    toOutcome(rows[place], request, found.get(settlementId(request.key))),
  )
}

function toOutcome(
  row: ClaimRow | undefined,
  request: ClaimRequest,
  settlement: Settlement | undefined,
): ClaimOutcome | undefined {
  if (!row) throw new Error('a claim statement returns a row for each request')
  const { attempt, account, index, sequence, refusal } = row
  if (attempt !== null) {
    const channel =
      account === null || index === null ? undefined : toLeasedChannel({ account, index, sequence })
    return { kind: 'claimed', attempt, channel }
  }
  const isRepeat = settlement !== undefined && !isForOther(settlement, request)
  if (refusal === 'identifier_taken' && !isRepeat) return { kind: refusal }
  // A repeat is answered even when a limit is reached, or another payload has its id by now; only a new claim is limited.
  if (
    settlement &&
    (!claimableStates.includes(settlement.state) || (settlement.state === 'refused' && !isRepeat))
  ) {
    return { kind: 'existing', settlement }
  }
  return refusal === null || refusal === 'deferred' ? undefined : { kind: refusal }
}

/** An authorization of which a ledger may have a refused attempt is claimed for the request of that attempt alone. */
const isForOther = (known: Settlement, request: ClaimRequest): boolean =>
  known.fingerprint !== request.fingerprint

/** The refusals by the SQLSTATE that `hold_fees` and `refuse_identifier` raise. */
const refusals: Readonly<Record<string, ClaimRefusal>> = {
  SVC01: 'over_budget',
  SVC02: 'over_key_share',
  SVC03: 'identifier_taken',
}

function refusedRow(error: unknown): ClaimRow {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const refusal = refusals[code]
  if (refusal === undefined) throw error
  return { refusal, attempt: null, account: null, index: null, sequence: null }
}
