import type { Store } from '../../../platform/database/open.ts'
import { claimableStates } from '../../../platform/database/schema.ts'
import { settleCodes } from '../../protocol/reasons.ts'
import type { Payment } from '../../schemes/scheme.ts'
import { findSettlement } from '../../store/settlements/find.ts'
import type { Settlement, SettlementKey } from '../../store/settlements/settlement.ts'
import {
  finishRefusedAsSucceeded,
  listRefusedAttempts,
  type RefusedAttempt,
} from '../../store/settlements/transitions/refuse.ts'
import type { SettleResult } from '../../usage/outcome.ts'
import { notSettled, settled, storedAnswer, subjectOf } from '../answers/settle-answer.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import { findRefused, finishRefused } from './landed-after-all.ts'
import { findByStranger } from './made-by-stranger.ts'

interface SentRequest {
  readonly network: Pick<ServedNetwork, 'rpc' | 'time'>
  readonly payment: Payment
  readonly key: SettlementKey
  readonly fingerprint: string
}

/**
 * The result of a request whose authorization may have an attempt that the network refused. The envelope of that one was sent: a
 * ledger may have it all the same, or a stranger's transaction with its authorization. So a limit, a check or a simulation that
 * refuses the next attempt does not say what becomes of the payment. It is pending until every ledger in which it can be made
 * was searched.
 */
export async function resultOnceSent(
  store: Store,
  { network, payment, key, fingerprint }: SentRequest,
  result: SettleResult,
): Promise<SettleResult> {
  if (result.response.success || result.response.transaction !== '') return result
  const attempts = await listRefusedAttempts(store.db, key)
  const [last] = attempts
  const row = last && (await findSettlement(store.db, key))
  if (!row) return result
  const subject = subjectOf(payment.request, payment.payer)
  if (row.fingerprint !== fingerprint) {
    return { response: notSettled(subject, { code: settleCodes.conflict }) }
  }
  const { settlement, searchedThrough } = await finishSent(store, network, row, attempts)
  if (settlement.outcome) return { response: storedAnswer(settlement.outcome.response) }
  if (searchedThrough >= payment.authorization.expirationLedger) return result
  return {
    response: notSettled(subject, { code: 'settlement_pending', transaction: last.txHash }),
  }
}

interface Searched {
  readonly settlement: Settlement
  /** Every ledger up to this one was searched. */
  readonly searchedThrough: number
}

async function finishSent(
  store: Store,
  { rpc, time }: SentRequest['network'],
  row: Settlement,
  attempts: readonly RefusedAttempt[],
): Promise<Searched> {
  const [last] = attempts
  const open = { settlement: row, searchedThrough: 0 }
  if (!last || !claimableStates.includes(row.state)) return open
  // Before the search, which covers it.
  const { latestLedger = 0 } = time
  const { key, facts } = row
  const refused = await findRefused(store, rpc, key)
  const landed = await finishRefused(store, row, refused)
  if (landed) return { ...open, settlement: landed }
  const { attempt, envelopeXdr } = last
  const afterLedger = Math.min(...attempts.map(({ recordedAtLedger }) => recordedAtLedger))
  const found = await findByStranger(store, rpc, { key, facts, envelopeXdr }, undefined, {
    afterLedger,
  })
  if (found.state === 'not_made') {
    // One endpoint alone made the search; all of them know of the attempts.
    const searchedThrough = Math.min(found.latestLedger ?? latestLedger, refused.absentThrough)
    return { ...open, searchedThrough }
  }
  if (found.state !== 'made') return open
  const { transaction, ledger } = found
  const made = await finishRefusedAsSucceeded(store.db, {
    ...{ key, attempt, ledger, feeCharged: refused.feesOfFailed },
    response: { ...settled({ ...key, paid: facts }, transaction) },
  })
  return { ...open, settlement: made ?? row }
}
