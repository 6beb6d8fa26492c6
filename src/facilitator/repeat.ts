import type { Clock } from '../core/clock.ts'
import type { Store } from '../store/open.ts'
import { findSettlement } from '../store/settlements/find.ts'
import type { Settlement } from '../store/settlements/settlement.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { notSettled, type SettleSubject, storedAnswer } from './answers.ts'
import type { Concluder } from './conclude.ts'
import type { Submitted } from './ending.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Timings } from './timings.ts'
import { within } from './within.ts'

/** Another process's claim is looked at this often. */
const LOOK_AGAIN_MS = 250

export interface RepeatTools {
  readonly store: Store
  readonly clock: Clock
  readonly timings: Timings
  readonly concluder: Concluder
  readonly signal: AbortSignal
}

/**
 * Answers a settle request for an authorization that is claimed, on its way or finished. The same
 * request again gets the one true answer; a different one over the same authorization never does.
 */
export async function answerRepeat(
  tools: RepeatTools,
  network: ServedNetwork,
  existing: Settlement,
  fingerprint: string,
): Promise<SettleResponse> {
  const subject: SettleSubject = { network: network.id, payer: existing.key.payer }
  if (existing.fingerprint !== fingerprint) {
    return notSettled(subject, { code: 'settle_exact_stellar_idempotency_conflict' })
  }
  if (existing.outcome) network.tally.count('repeat')
  const known = existing.state === 'claimed' ? await awaitRecord(tools, existing) : existing
  if (known?.outcome) return storedAnswer(known.outcome.response)
  if (!known?.recorded) {
    return notSettled(subject, { code: 'settle_exact_stellar_settlement_in_progress' })
  }
  const { key, attempt, recorded } = known
  return awaitEnd(tools, network, { key, attempt, recorded }, tools.timings.duplicateWaitMs)
}

/** Waits for the end of a recorded settlement; a time-out is not a failure. */
export async function awaitEnd(
  { clock, concluder }: RepeatTools,
  network: ServedNetwork,
  submitted: Submitted,
  withinMs: number,
): Promise<SettleResponse> {
  const answer = await network.stages.run('confirm', () =>
    within(clock, withinMs, concluder.conclude(network, submitted)),
  )
  if (answer) return answer
  const subject: SettleSubject = { network: network.id, payer: submitted.key.payer }
  const transaction = submitted.recorded.txHash
  return notSettled(subject, { code: 'settlement_pending', transaction })
}

/** The settlement once it is more than a claim; undefined when it stays one. */
async function awaitRecord(
  { store, clock, timings, signal }: RepeatTools,
  { key }: Settlement,
): Promise<Settlement | undefined> {
  const deadline = clock.now() + timings.duplicateWaitMs
  while (clock.now() < deadline) {
    await clock.sleep(LOOK_AGAIN_MS, signal)
    const settlement = await findSettlement(store.db, key)
    if (settlement?.state !== 'claimed') return settlement
  }
  return undefined
}
