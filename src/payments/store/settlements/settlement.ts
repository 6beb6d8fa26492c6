import { type Selectable, type SqlBool, sql } from 'kysely'
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { asUsdUnits, type UsdUnits } from '../../../platform/core/amounts/usd.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { SettlementState, SettlementsTable } from '../../../platform/database/schema.ts'

/** Identifies the payer's authorization, which is settled at most once. */
export interface SettlementKey {
  readonly network: NetworkId
  readonly payer: string
  /** The authorization's nonce, in decimal. */
  readonly nonce: string
}

/** The key as one string: the name of the settlement in log lines and spans. */
export const settlementId = ({ network, payer, nonce }: SettlementKey): string =>
  `${network}/${payer}/${nonce}`

/** The payment, as the request describes it. */
export interface SettlementFacts {
  readonly scheme: string
  readonly asset: string
  readonly payTo: string
  /** Base units of the asset; up to the 39 digits of an i128. */
  readonly amount: bigint
  readonly resourceUrl?: string | undefined
}

/** The account of a settlement. */
export interface Metering {
  /** The caller whose usage counts it. */
  readonly caller: string
  /** Accrued for the caller if it succeeds. */
  readonly serviceFee: UsdUnits
}

/** The stored transaction of a settlement; every send uses these same bytes. */
export interface RecordedEnvelope {
  /** The channel account: source of the transaction. */
  readonly channel: string
  /** Base64 of the signed fee-bump envelope. */
  readonly envelopeXdr: string
  /** Hex; of the fee bump. */
  readonly txHash: string
  /** Hex; of the transaction inside. */
  readonly innerHash: string
  /** Unix seconds after which no ledger may include it. */
  readonly maxTime: number
  readonly recordedAt: Date
  /** The latest ledger known when it was recorded; the transaction can only be in a later one. */
  readonly recordedAtLedger: number
}

export type StoredResponse = Readonly<Record<string, unknown>>

export interface SettlementOutcome {
  readonly response: StoredResponse
  readonly finishedAt: Date
  /** Absent when the transaction is on no ledger. */
  readonly ledger: number | undefined
  readonly feeCharged: Stroops | undefined
}

export interface Settlement {
  readonly id: bigint
  readonly key: SettlementKey
  readonly attempt: number
  readonly state: SettlementState
  readonly fingerprint: string
  readonly facts: SettlementFacts
  readonly metering: Metering
  readonly sponsor: string
  readonly owner: string
  readonly claimedAt: Date
  readonly claimExpiresAt: Date
  /** Present while `submitted`, and in the final states. */
  readonly recorded: RecordedEnvelope | undefined
  /** Why the endpoints could not prove its outcome; a later look-up or an administrator ends it; absent while the ledger can prove its outcome. */
  readonly unresolvableBecause: string | undefined
  /** Present in the final states. */
  readonly outcome: SettlementOutcome | undefined
}

export type SettlementRow = Selectable<SettlementsTable>

/** The only function that depends on both the row and our type. */
export const toSettlement = (row: SettlementRow): Settlement => ({
  id: row.id,
  key: { network: row.network, payer: row.payer, nonce: row.nonce },
  attempt: row.attempt,
  state: row.state,
  fingerprint: row.fingerprint,
  facts: {
    scheme: row.scheme,
    asset: row.asset,
    payTo: row.pay_to,
    amount: BigInt(row.amount),
    resourceUrl: row.resource_url ?? undefined,
  },
  metering: { caller: row.caller, serviceFee: asUsdUnits(row.service_fee) },
  sponsor: row.sponsor,
  owner: row.owner,
  claimedAt: row.claimed_at,
  claimExpiresAt: row.claim_expires_at,
  unresolvableBecause: row.unresolvable_because ?? undefined,
  recorded: toRecorded(row),
  outcome: toOutcome(row),
})

function toRecorded(row: SettlementRow): RecordedEnvelope | undefined {
  const { channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at } = row
  if (!channel || !envelope_xdr || !tx_hash || !inner_hash || !recorded_at) return undefined
  return {
    channel,
    envelopeXdr: envelope_xdr,
    txHash: tx_hash,
    innerHash: inner_hash,
    maxTime: Number(max_time),
    recordedAt: recorded_at,
    recordedAtLedger: Number(row.recorded_at_ledger),
  }
}

function toOutcome(row: SettlementRow): SettlementOutcome | undefined {
  if (!row.response || !row.finished_at) return undefined
  return {
    response: row.response,
    finishedAt: row.finished_at,
    ledger: row.ledger === null ? undefined : Number(row.ledger),
    feeCharged: row.fee_charged === null ? undefined : asStroops(row.fee_charged),
  }
}

/** `where` clause of one settlement. */
export const isSettlement = ({ network, payer, nonce }: SettlementKey) =>
  sql<SqlBool>`settlements.network = ${network}
    and settlements.payer = ${payer} and settlements.nonce = ${nonce}`
