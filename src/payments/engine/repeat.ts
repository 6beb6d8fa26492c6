import { canonicalHash } from '../../platform/core/text/canonical-json.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import type { PaymentRequest, SettleResponse } from '../protocol/protocol.ts'
import { settleCodes } from '../protocol/reasons.ts'
import { findSettlement } from '../store/settlements/find.ts'
import type { Settlement } from '../store/settlements/settlement.ts'
import type { SettleResult } from '../usage/outcome.ts'
import { notSettled, type SettleSubject, storedAnswer } from './answers/settle-answer.ts'
import type { SettlementFollower } from './follow/settlement-follower.ts'
import type { ServedNetwork } from './network/served-network.ts'
import type { Timings } from './timings.ts'

/** Pause between reads of another process's claim. */
const CLAIM_POLL_MS = 250

export interface RepeatDeps {
  readonly store: Store
  readonly clock: Clock
  readonly timings: Timings
  readonly follower: SettlementFollower
  readonly signal: AbortSignal
}

/** SHA-256, hex, of the whole request: two requests with equal fingerprints are repeats. */
export const fingerprintOf = (request: PaymentRequest): string => canonicalHash(request)

/**
 * Answers a settle request for an authorization that is claimed, submitted or finished already. The
 * same request gets the response of that settlement; a different request over the same authorization
 * is refused.
 */
export const answerRepeat = async (
  ...repeat: Parameters<typeof answerOf>
): Promise<SettleResult> => ({
  response: await answerOf(...repeat),
})

async function answerOf(
  deps: RepeatDeps,
  network: ServedNetwork,
  existing: Settlement,
  fingerprint: string,
): Promise<SettleResponse> {
  const subject: SettleSubject = { network: network.id, payer: existing.key.payer }
  const conflict = () => notSettled(subject, { code: settleCodes.conflict })
  if (existing.fingerprint !== fingerprint) return conflict()
  if (existing.outcome) network.counters.count('repeat')
  const known = existing.state === 'claimed' ? await awaitRecord(deps, existing) : existing
  // The claim was released while this waited, and another request has the authorization now.
  if (known && known.fingerprint !== fingerprint) return conflict()
  if (known?.outcome) return storedAnswer(known.outcome.response)
  if (!known?.recorded) {
    return notSettled(subject, { code: settleCodes.inProgress })
  }
  const { duplicateWaitMs } = deps.timings
  const submitted = { ...known, recorded: known.recorded }
  return deps.follower.answerWithin(network, submitted, duplicateWaitMs)
}

/** The settlement once it is more than a claim; undefined when it stays one. */
async function awaitRecord(
  { store, clock, timings, signal }: RepeatDeps,
  { key }: Settlement,
): Promise<Settlement | undefined> {
  const deadline = clock.now() + timings.duplicateWaitMs
  while (clock.now() < deadline) {
    await clock.sleep(CLAIM_POLL_MS, signal)
    const settlement = await findSettlement(store.db, key)
    if (settlement?.state !== 'claimed') return settlement
  }
  return undefined
}
