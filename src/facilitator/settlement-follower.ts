import type { Clock } from '../core/clock.ts'
import { asStroops } from '../core/stroops.ts'
import { undefinedWhenLate, withTimeLimit } from '../core/time-limit.ts'
import { maxLedgerOf } from '../stellar/settlement-envelope.ts'
import type { Store } from '../store/open.ts'
import { flagUnresolvable, renewFollowing } from '../store/settlements/due.ts'

import { findSettlement } from '../store/settlements/find.ts'
import { type FinishOutcome, finishIfRecent, RecordLost } from '../store/settlements/finish.ts'

import { finishBatch } from '../store/settlements/finish-many.ts'
import { listRefusedAttempts, refuseAttempt } from '../store/settlements/refuse.ts'
import { settlementId } from '../store/settlements/settlement.ts'
import { inLogScope } from '../telemetry/log-scope.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { LedgerFailure } from '../x402/ledger-failure.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { notSettled, storedAnswer } from './answers.ts'
import { explainFailure } from './explain-failure.ts'
import {
  type FinalLedgerOutcome,
  type FinalResult,
  finalResult,
  refusedResult,
  type SubmittedSettlement,
  subjectOfSettlement,
} from './final-result.ts'
import { findLanded, finishLanded } from './landed-after-all.ts'
import { type LandingWindow, type LedgerOutcome, ledgerOutcome } from './ledger-outcome.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Timings } from './timings.ts'

export interface FollowerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly timings: Timings
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

/** Result of one round: one wait for the ledger, and one more send without a result. */
type Progress =
  | { readonly kind: 'answered'; readonly answer: SettleResponse }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'undecidable'; readonly because: string }

/** How the ledger ends a settlement. */
interface End {
  readonly outcome: FinalLedgerOutcome
  /** Of the transaction that the answer names. */
  readonly hash: string
  /** Of the channel of the followed envelope, see `FinalResult`. */
  readonly sequence: FinalResult['sequence']
}

const RETRY_AFTER_ERROR_MS = 1_000
/**
 * Once the network has queued an envelope it is sent again only after this many times `rebroadcastMs`:
 * longer than a ledger takes (5 s), or every settlement would be sent twice; well under `followedForMs`.
 */
const QUEUED_REBROADCAST_FACTOR = 2

/**
 * Follows recorded envelopes until they are final: sends the same bytes again, waits for the ledger,
 * and stores the result. However many requests wait for one envelope, it is followed once.
 */
export class SettlementFollower {
  readonly #deps: FollowerDeps
  readonly #finishes: ReturnType<typeof finishBatch>
  readonly #following = new Map<string, Promise<SettleResponse | undefined>>()

  constructor(deps: FollowerDeps) {
    this.#deps = deps
    this.#finishes = finishBatch(deps.store.db)
  }

  /** Answers with the final response, or with `settlement_pending` when there is none within `withinMs`. */
  async answerWithin(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
    withinMs: number,
  ): Promise<SettleResponse> {
    const limit = { clock: this.#deps.clock, ms: withinMs }
    const answer = await network.stages.run('confirm', () =>
      withTimeLimit(limit, () => this.follow(network, submitted)).catch(undefinedWhenLate),
    )
    if (answer) return answer
    const transaction = submitted.recorded.txHash
    return notSettled(subjectOfSettlement(submitted), { code: 'settlement_pending', transaction })
  }

  /**
   * Resolves with the stored response; undefined when the ledger cannot prove the outcome of
   * the payment. Rejects only with the signal's reason.
   */
  follow(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
  ): Promise<SettleResponse | undefined> {
    const { txHash } = submitted.recorded
    const followed = this.#following.get(txHash)
    if (followed !== undefined) return followed
    const settlement = settlementId(submitted.key)
    // Decoded once, not in every round.
    const maxLedger = submitted.maxLedger ?? maxLedgerOf(submitted.recorded.envelopeXdr)
    const bounded = { ...submitted, ...(maxLedger !== undefined && { maxLedger }) }
    const untilFinal = () => this.#followUntilFinal(network, bounded)
    const following = inLogScope({ settlement }, untilFinal).finally(() => {
      this.#following.delete(txHash)
    })
    this.#following.set(txHash, following)
    // Callers handle the rejection; when none waits, Node must not report an unhandled one.
    following.catch(() => undefined)
    return following
  }

  isFollowing(txHash: string): boolean {
    return this.#following.has(txHash)
  }

  /** How many envelopes are followed now. */
  get followed(): number {
    return this.#following.size
  }

  /** Resolves once no settlement is followed. */
  async idle(): Promise<void> {
    while (this.#following.size > 0) await Promise.allSettled(this.#following.values())
  }

  /**
   * Finishes a settlement whose envelope the network refused. Undefined when it was recorded so long
   * ago that another replica may have sent it too: then only the ledger decides.
   */
  async finishRefused(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
    because: string,
  ): Promise<SettleResponse | undefined> {
    const { store } = this.#deps
    const result = refusedResult(submitted, because)
    const { key, attempt } = submitted
    const request = { key, attempt, txHash: submitted.recorded.txHash, ...result }
    const finished = await finishIfRecent(store.db, request, this.#notSentByOthersMs)
    return finished && this.#onFinished(network, submitted, result, finished)
  }

  /**
   * Ends an attempt whose envelope every endpoint that got it refused, so that the authorization can be claimed
   * again. False when it was recorded so long ago that another replica may have sent it too.
   */
  async endRefusedAttempt(
    { channelQueue }: ServedNetwork,
    { key, attempt, recorded }: SubmittedSettlement,
    resultCode: string,
  ): Promise<boolean> {
    const { store, log } = this.#deps
    const recordedWithinMs = this.#notSentByOthersMs
    const isEnded = await refuseAttempt(store.db, { key, attempt, resultCode, recordedWithinMs })
    if (!isEnded) return false
    channelQueue.freed()
    store.notifyFreedChannels(key.network)
    log.debug({ ...key, attempt, hash: recorded.txHash, resultCode }, 'Attempt refused')
    return true
  }

  /** Another replica sends after `rebroadcastMs` at the earliest, and reads the row before it does. */
  get #notSentByOthersMs(): number {
    return this.#deps.timings.rebroadcastMs * 0.8
  }

  async #followUntilFinal(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
  ): Promise<SettleResponse | undefined> {
    const { store, clock, signal, metrics, log } = this.#deps
    for (;;) {
      signal.throwIfAborted()
      try {
        const progress = await this.#round(network, submitted)
        if (progress.kind === 'answered') return progress.answer
        if (progress.kind === 'undecidable') {
          const { because } = progress
          const subject = subjectOfSettlement(submitted)
          log.error({ ...subject, because }, 'Settlement cannot be resolved')
          await flagUnresolvable(store.db, submitted.key, because)
          return undefined
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        metrics.backgroundErrors.inc({ task: 'follow' })
        log.warn({ err: error, hash: submitted.recorded.txHash }, 'Could not follow a settlement')
        await clock.sleep(RETRY_AFTER_ERROR_MS, signal)
      }
    }
  }

  async #round(network: ServedNetwork, submitted: SubmittedSettlement): Promise<Progress> {
    const { timings } = this.#deps
    const { recorded, isQueued } = submitted
    const withinMs = timings.rebroadcastMs * (isQueued ? QUEUED_REBROADCAST_FACTOR : 1)
    const landing = landingOf(submitted)
    const status = await network.confirmations.watch(recorded.txHash, withinMs, landing)
    const envelopeOutcome = status ? ledgerOutcome(status, landing) : ({ kind: 'waiting' } as const)
    const outcome =
      envelopeOutcome.kind === 'expired'
        ? await this.#innerOutcome(network, submitted)
        : envelopeOutcome
    if (outcome.kind === 'undecidable') return outcome
    if (outcome.kind === 'waiting') return this.#sendAgain(network, submitted)

    const landed = await this.#earlierAttempt(network, submitted, outcome)
    const hash = envelopeOutcome.kind === outcome.kind ? recorded.txHash : recorded.innerHash
    const end = landed ?? { outcome, hash }
    // The channel is of this attempt, whichever one has paid.
    const sequence = outcome.kind === 'expired' ? 'unknown' : 'keep'
    return this.#finishAs(network, submitted, { ...end, sequence })
  }

  /** An earlier attempt that was refused and is on the ledger after all: then this one can only fail. */
  async #earlierAttempt(
    { rpc }: ServedNetwork,
    { key, attempt }: SubmittedSettlement,
    { kind }: FinalLedgerOutcome,
  ): Promise<Omit<End, 'sequence'> | undefined> {
    const { store, signal } = this.#deps
    if (kind === 'succeeded' || attempt === 1) return undefined
    const landed = await findLanded(store, rpc, key, signal)
    if (!landed) return undefined
    const { hash, ledger, feeCharged } = landed
    return { outcome: { kind: 'succeeded', ledger, feeCharged }, hash }
  }

  async #finishAs(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
    { outcome, hash, sequence }: End,
  ): Promise<Progress> {
    const { store } = this.#deps
    const { key, attempt, recorded } = submitted
    const { txHash } = recorded
    const failure =
      outcome.kind === 'failed' && outcome.applied
        ? await explainFailure(store, network, key, outcome.applied)
        : undefined
    const result = { ...finalResult(submitted, outcome, hash, failure), sequence }
    if (outcome.kind === 'succeeded') network.payers.balances.notePaid(key.payer, outcome.ledger)
    const finished = await network.stages
      .run('finish', () => this.#finishes.write({ key, attempt, txHash, ...result }))
      .catch((error: unknown) => this.#ifLost(network, submitted, error))
    if (!finished) {
      const { state, ledger, response } = result
      if (state !== 'succeeded' && (await this.#isReplaced(submitted))) return superseded(submitted)
      const lost = { ...key, hash, state, ledger }
      this.#deps.log.error(
        lost,
        'The store lost this settlement: repeats of its request are refused',
      )
      return { kind: 'answered', answer: response }
    }
    if (finished.isNew) this.#countOutcome(submitted, outcome, failure)
    return { kind: 'answered', answer: this.#onFinished(network, submitted, result, finished) }
  }

  /**
   * The channel's transaction is complete without the sponsor's fee bump: another party that saw the
   * envelope may have sent it inside a fee bump of its own, at its own expense (CAP-15). Then it is on
   * the ledger, though no look-up of our envelope finds it.
   */
  async #innerOutcome(
    { rpc }: ServedNetwork,
    submitted: SubmittedSettlement,
  ): Promise<LedgerOutcome> {
    const status = await rpc.transaction(submitted.recorded.innerHash, this.#deps.signal)
    const outcome = ledgerOutcome(status, landingOf(submitted))
    return 'feeCharged' in outcome ? { ...outcome, feeCharged: asStroops(0n) } : outcome
  }

  /** Ignores the endpoint's answer: only the ledger decides whether the transaction landed. */
  async #sendAgain({ rpc }: ServedNetwork, submitted: SubmittedSettlement): Promise<Progress> {
    const { store, timings, signal } = this.#deps
    const { key, attempt, recorded } = submitted
    const settlement = await renewFollowing(store.db, key, timings.followedForMs)
    if (settlement?.attempt !== attempt) {
      const refused = await listRefusedAttempts(store.db, key)
      if (refused.some((one) => one.attempt === attempt)) return superseded(submitted)
      // The store has lost the record: nothing unrecorded is sent, and the ledger decides all the same.
      return { kind: 'waiting' }
    }
    // A repeat has recorded another envelope since the store lost the record of this one.
    const current = settlement.recorded?.txHash ?? recorded.txHash
    if (current !== recorded.txHash) return { kind: 'waiting' }
    if (settlement.outcome) {
      return { kind: 'answered', answer: storedAnswer(settlement.outcome.response) }
    }
    await rpc.send(recorded.envelopeXdr, signal)
    return { kind: 'waiting' }
  }

  /**
   * Undefined when the store lost the record. A row that is refused was not lost: then every endpoint refused an
   * envelope that the ledger has after all. Throws any other error again.
   */
  async #ifLost(
    { rpc }: ServedNetwork,
    { key }: SubmittedSettlement,
    error: unknown,
  ): Promise<FinishOutcome | undefined> {
    if (!(error instanceof RecordLost)) throw error
    const { store } = this.#deps
    const row = await findSettlement(store.db, key)
    const settlement = row?.state === 'refused' ? await finishLanded(store, rpc, key) : undefined
    return settlement && { settlement, isNew: true }
  }

  /** Whether the store has a later attempt, or another envelope: that one may still make the payment. */
  async #isReplaced({ key, attempt, recorded }: SubmittedSettlement): Promise<boolean> {
    const row = await findSettlement(this.#deps.store.db, key)
    if (!row) return false
    return (
      row.attempt > attempt ||
      (row.recorded !== undefined && row.recorded.txHash !== recorded.txHash)
    )
  }

  #countOutcome(
    { key, sentAtMs, isTakenOver }: SubmittedSettlement,
    outcome: FinalLedgerOutcome,
    failure: LedgerFailure | undefined,
  ): void {
    const { clock, metrics } = this.#deps
    const { network } = key
    if (isTakenOver) metrics.reconciled.inc()
    if (outcome.kind === 'failed') {
      const cause = failure?.code ?? ''
      metrics.failedFees.inc({ network, cause }, Number(outcome.feeCharged))
    }
    if (sentAtMs === undefined) return
    const labels = { network, outcome: outcome.kind }
    metrics.confirmTime.observe(labels, (clock.now() - sentAtMs) / 1_000)
  }

  #onFinished(
    { channelQueue }: ServedNetwork,
    { key, recorded, sentAtMs }: SubmittedSettlement,
    { state, response, ledger }: FinalResult,
    { settlement, isNew }: FinishOutcome,
  ): SettleResponse {
    const { store, clock, timings, log } = this.#deps
    if (isNew) {
      channelQueue.freed()
      store.notifyFreedChannels(key.network)
      // While its request waits, the answer is logged at info: this line would repeat it.
      const isAnswering = sentAtMs !== undefined && clock.now() - sentAtMs < timings.confirmWindowMs
      log[isAnswering ? 'debug' : 'info'](
        { ...key, hash: recorded.txHash, state, ledger },
        'Settlement finished',
      )
    }
    return settlement.outcome ? storedAnswer(settlement.outcome.response) : response
  }
}

/** Another process has ended this attempt; the next request finds out how the settlement goes on. */
const superseded = (submitted: SubmittedSettlement): Progress => ({
  kind: 'answered',
  answer: notSettled(subjectOfSettlement(submitted), {
    code: 'settle_exact_stellar_settlement_in_progress',
  }),
})

const landingOf = ({ recorded, maxLedger }: SubmittedSettlement): LandingWindow => ({
  maxTime: recorded.maxTime,
  recordedAtLedger: recorded.recordedAtLedger,
  maxLedger,
})
