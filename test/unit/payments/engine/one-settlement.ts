import {
  type Settlement,
  type SettlementRow,
  toSettlement,
} from '../../../../src/payments/store/settlements/settlement.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { type Statement, scriptedDatabase } from '../../../support/scripted-database.ts'
import { asset, payer, seller, sponsor } from '../protocol/payment-builder.ts'

export const key = { network: 'stellar:testnet', payer, nonce: '7' } as const

/** The columns of a settlement whose envelope is recorded. */
export const recordedRow = {
  ...{ id: 1n, ...key, attempt: 1, state: 'submitted', fingerprint: 'f', was_refused: false },
  ...{ scheme: 'exact', asset, pay_to: seller, amount: '100000', resource_url: null, sponsor },
  ...{ owner: 'one', claimed_at: new Date(0), claim_expires_at: new Date(30_000) },
  ...{ caller: 'public', service_fee: 0n, channel: 'GCHANNEL', envelope_xdr: 'AAAA' },
  ...{ tx_hash: 'fee bump', inner_hash: 'inner', max_time: 1_000n, recorded_at: new Date(0) },
  ...{ recorded_at_ledger: 10n, ledger: null, fee_charged: null, response: null },
  ...{ finished_at: null, failure_code: null, expiration_ledger: 1_010n, fee_committed: 0n },
  ...{ due_at: null, unresolvable_because: null, pending_on: null },
} as unknown as SettlementRow

const withoutEnvelope = {
  ...{ channel: null, envelope_xdr: null, tx_hash: null, inner_hash: null },
  ...{ max_time: null, recorded_at: null, recorded_at_ledger: null },
}

const envelopeOf = ({
  channel,
  envelope_xdr,
  tx_hash,
  inner_hash,
  recorded_at,
}: SettlementRow) => ({
  ...{ channel, envelope_xdr, tx_hash, inner_hash, recorded_at },
})

export const claimedRow: SettlementRow = { ...recordedRow, ...withoutEnvelope, state: 'claimed' }

export const settlementOf = (row: SettlementRow): Settlement => toSettlement(row)

interface RefusedAttempt {
  readonly attempt: number
  readonly tx_hash: string
  readonly inner_hash: string
}

/** A store in memory of one settlement: it gives the engine the rows that the statements of `payments/store` would. */
export class OneSettlement {
  row: SettlementRow | undefined
  refused: readonly RefusedAttempt[] = []
  /** Accounts of facilitators that share the store. */
  own: readonly string[] = []
  /** The other settlements of the payer under way. */
  hasOthers = false
  othersAmount = 0n
  pausedForMs = 0
  /** Called before each statement. */
  before: (statement: Statement) => void = () => undefined
  readonly freed: string[] = []
  readonly store: Store

  constructor(row?: SettlementRow) {
    this.row = row
    this.store = {
      db: scriptedDatabase((statement) => this.#rowsOf(statement)),
      notifyFreedChannels: (network: string) => void this.freed.push(network),
    } as unknown as Store
  }

  #rowsOf(statement: Statement): readonly unknown[] {
    this.before(statement)
    const { sql, parameters } = statement
    if (sql.includes('as own'))
      return [{ own: parameters.some((one) => this.own.includes(`${one}`)) }]
    if (sql.includes('from refused_attempts landed')) return this.#finishLanded(parameters)
    if (sql.includes('select * from finished')) return this.#finish(parameters)
    if (sql.includes('insert into refused_attempts')) return this.#refuse()
    if (sql.includes('from "refused_attempts"')) return this.refused
    if (sql.startsWith('update "settlements" set "unresolvable_because"'))
      return this.#flag(parameters)
    if (sql.includes('insert into settlements as known')) return this.#release()
    if (sql.startsWith('update "settlements" set "state"')) return this.#restore(parameters)
    if (sql.startsWith('update "settlements" set "due_at"')) {
      return this.row?.state === 'submitted' ? [this.row] : []
    }
    if (sql.startsWith('select * from "settlements"')) return this.row ? [this.row] : []
    if (sql.includes('payer.has_others')) {
      const { hasOthers: has_others, pausedForMs: paused_for_ms } = this
      return [{ ...(this.row ?? { id: null }), has_others, paused_for_ms }]
    }
    if (sql.includes('sum(others.amount)')) return [{ amount: `${this.othersAmount}` }]
    return []
  }

  /** The parameters of one request are in the order of the columns of `finish.ts`. */
  #finish(parameters: readonly unknown[]): readonly unknown[] {
    const [, , , , attempt, hash, state, response, ledger, fee] = parameters
    const { row } = this
    if (row?.state !== 'submitted' || row.attempt !== attempt) return []
    if (hash !== null && row.tx_hash !== hash) return []
    return [{ ...this.#end({ state, response, ledger, fee }), place: 0, is_number_known: true }]
  }

  #finishLanded([response, ledger, fee]: readonly unknown[]): readonly unknown[] {
    if (this.row?.state !== 'refused') return []
    return [this.#end({ state: 'succeeded', response, ledger, fee })]
  }

  #end({ state, response, ledger, fee }: Readonly<Record<string, unknown>>): SettlementRow {
    const ended = {
      ...recordedRow,
      ...this.row,
      state,
      response: JSON.parse(`${response}`),
      ledger: ledger ?? null,
      fee_charged: fee === null ? null : BigInt(`${fee}`),
      finished_at: new Date(0),
    } as unknown as SettlementRow
    this.row = ended
    return ended
  }

  /** The first half of `restoreSucceeded`: a released row in the place of whatever has no envelope. */
  #release(): readonly unknown[] {
    if (this.row?.recorded_at) return []
    this.row = { ...claimedRow, state: 'released' }
    return [{ id: this.row.id }]
  }

  /** The second half: the row has its success again. */
  #restore(parameters: readonly unknown[]): readonly unknown[] {
    const response = parameters.find((one) => `${one}`.startsWith('{'))
    this.#end({ state: 'succeeded', response, ledger: 12n, fee: '300' })
    this.row = { ...recordedRow, ...this.row, ...envelopeOf(recordedRow) }
    return []
  }

  #refuse(): readonly unknown[] {
    const { row } = this
    if (row?.state !== 'submitted' || !row.tx_hash || !row.inner_hash) return []
    const { attempt, tx_hash, inner_hash } = row
    this.refused = [{ attempt, tx_hash, inner_hash }, ...this.refused]
    this.row = { ...row, ...withoutEnvelope, state: 'refused', attempt: attempt + 1 }
    return [{ id: row.id }]
  }

  #flag([because]: readonly unknown[]): readonly unknown[] {
    if (this.row) this.row = { ...this.row, unresolvable_because: `${because}` }
    return []
  }
}
