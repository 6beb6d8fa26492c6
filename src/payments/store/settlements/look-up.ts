import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { type BoundIdentifier, type FirstPayment, firstPaymentWith } from './claim/identifiers.ts'
import {
  isSettlement,
  type Settlement,
  type SettlementKey,
  type SettlementRow,
  toSettlement,
} from './settlement.ts'

/** When the payments of a payer are refused for a while. */
export interface PauseRule {
  /** This many failures on the ledger, at least 1 ... */
  readonly failures: number
  /** ... of these codes ... */
  readonly codes: readonly string[]
  /** ... within this time ... */
  readonly windowSeconds: number
  /** ... refuse its payments for this long after the last of them. */
  readonly pauseSeconds: number
}

export interface LookUpRequest {
  readonly key: SettlementKey
  /** Contract that the payment is in. */
  readonly asset: string
  /** No payer is paused when absent. */
  readonly pause?: PauseRule | undefined
  /** Absent: the buyer gave no id. */
  readonly identifier?: BoundIdentifier | undefined
}

export interface FoundSettlement {
  /** The settlement of this authorization, in any state. */
  readonly settlement: Settlement | undefined
  /** The payment of another payload that has the id. */
  readonly firstPayment: FirstPayment | undefined
  /** Whether the payer has other settlements of the asset under way. */
  readonly hasOthers: boolean
  /** How long the payer's payments are still refused; 0 when they are not. */
  readonly pausedForMs: number
}

type Row = { readonly [Column in keyof SettlementRow]: SettlementRow[Column] | null } & {
  readonly has_others: boolean
  readonly paused_for_ms: number
  readonly first_payment?: FirstPayment | null
}

/** Reads, in one statement, the settlement of an authorization, who has the id, and what the rules per payer need to know. */
export async function lookUpSettlement(
  db: Db,
  { key, asset, pause, identifier }: LookUpRequest,
): Promise<FoundSettlement> {
  const first = identifier ? sql`, ${firstPaymentWith(key, identifier)} as first_payment` : sql``
  const { rows } = await sql<Row>`
    select settlements.*, payer.has_others, payer.paused_for_ms${first}
    from (select
        exists (select from settlements others
          where ${isOtherOf(key, asset)}) as has_others,
        ${pause ? pausedForMs(key, pause) : sql`0::double precision`} as paused_for_ms
      ) payer left join settlements on ${isSettlement(key)}`.execute(db)
  const [row] = rows
  return {
    settlement: row && isFound(row) ? toSettlement(row) : undefined,
    firstPayment: row?.first_payment ?? undefined,
    hasOthers: row?.has_others ?? false,
    pausedForMs: Math.ceil(row?.paused_for_ms ?? 0),
  }
}

/**
 * The amount that the payer's other settlements under way will take of its balance of the asset on this ledger. Those that were recorded
 * before it may be in the balance already, and do not count. Waits for no claim, and locks nothing.
 */
export async function readOthersAmount(
  db: Db,
  { key, asset, ledger }: Pick<LookUpRequest, 'key' | 'asset'> & { readonly ledger: number },
): Promise<bigint> {
  const { rows } = await sql<{ amount: string | null }>`
    select sum(others.amount) as amount from settlements others
    where ${isOtherOf(key, asset)}
      and (others.recorded_at_ledger is null or others.recorded_at_ledger >= ${ledger})`.execute(db)
  return BigInt(rows[0]?.amount ?? 0)
}

/** `where` clause of the payer's other settlements of the asset under way, as `refusal_by_funds` has it for a claim. */
const isOtherOf = ({ network, payer, nonce }: SettlementKey, asset: string) => sql<SqlBool>`
  others.payer = ${payer} and others.asset = ${asset} and others.network = ${network}
  and others.nonce <> ${nonce} and others.state in ('claimed', 'submitted')
  and others.unresolvable_because is null`

/** Milliseconds for which the payments of a payer are still refused; 0 when they are not. */
export async function readPause(db: Db, key: SettlementKey, pause: PauseRule): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select ${pausedForMs(key, pause)} as ms`.execute(db)
  return Math.ceil(rows[0]?.ms ?? 0)
}

const isFound = (row: Row): row is Row & SettlementRow => row.id !== null

/**
 * Milliseconds until the pause ends. A failure begins or prolongs the pause when the failure that is
 * `failures - 1` before it was within the window.
 */
const pausedForMs = (
  { network, payer }: SettlementKey,
  { failures, codes, windowSeconds, pauseSeconds }: PauseRule,
): RawBuilder<number> => sql<number>`coalesce((
    select greatest(0, extract(epoch from
      max(finished_at) + ${seconds(pauseSeconds)} - statement_timestamp()) * 1000)
    from (select finished_at,
        finished_at - lag(finished_at, ${failures - 1}::integer) over (order by finished_at) as span
      from settlements
      where payer = ${payer} and network = ${network} and failure_code is not null
        and failure_code = any(${codes}::text[])
        and finished_at > statement_timestamp() - ${seconds(windowSeconds + pauseSeconds)}
    ) failed
    where span < ${seconds(windowSeconds)}
  ), 0)::double precision`

const seconds = (count: number) => sql`${count}::double precision * interval '1 second'`
