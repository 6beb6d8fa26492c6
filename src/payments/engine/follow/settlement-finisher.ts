import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import { serverStart } from '../../../platform/database/postgres/server-facts.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import type { LedgerFailure } from '../../causes/ledger-failure.ts'
import { EXPIRED, isServiceLedgerFault, UNKNOWN_CAUSE } from '../../causes/service-faults.ts'
import type { SettleResponse } from '../../protocol/protocol.ts'
import { settleCodes } from '../../protocol/reasons.ts'
import { bindLost, type IdentifiedPayment } from '../../store/settlements/claim/identifiers.ts'
import { findSettlement } from '../../store/settlements/find.ts'
import type { Settlement } from '../../store/settlements/settlement.ts'
import { awaitAuthorization } from '../../store/settlements/transitions/await-authorization.ts'
import {
  type FinishOutcome,
  finishBatch,
  RecordLost,
} from '../../store/settlements/transitions/finish.ts'
import { refuseAttempt } from '../../store/settlements/transitions/refuse.ts'
import { restoreSucceeded } from '../../store/settlements/transitions/restore.ts'
import { notSettled, storedAnswer } from '../answers/settle-answer.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import type { Timings } from '../timings.ts'
import { explainFailure } from './explain-failure.ts'
import {
  type FinalLedgerOutcome,
  type FinalResult,
  finalResult,
  type SubmittedSettlement,
  subjectOfSettlement,
} from './final-result.ts'
import { finishLanded } from './landed-after-all.ts'
import { RecentCommits } from './recent-commits.ts'

export interface FinisherDeps {
  readonly store: Store
  readonly clock: Clock
  readonly timings: Timings
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

/** How the ledger ends a settlement. */
export interface End {
  readonly outcome: FinalLedgerOutcome
  /** The hash of the transaction that the answer names. */
  readonly hash: string
  /** How the followed envelope itself ended; it differs when another transaction made the payment. */
  readonly own: FinalLedgerOutcome
  /** The sequence number of the followed envelope's channel, see `FinalResult`. */
  readonly sequence: FinalResult['sequence']
}

/** Stores how attempts end, by the ledger's outcome or by a refusal, and frees their channels. */
export class SettlementFinisher {
  readonly #deps: FinisherDeps
  readonly #finishes: ReturnType<typeof finishBatch>
  readonly #recent: RecentCommits

  constructor(deps: FinisherDeps) {
    this.#deps = deps
    const { db } = deps.store
    this.#recent = new RecentCommits({
      serverStart: () => serverStart(db),
      restore: (settlement) => restoreSucceeded(db, settlement),
      bind: (payments) => bindLost(db, payments),
      clock: deps.clock,
      log: deps.log,
    })
    this.#finishes = finishBatch(db)
  }

  /** Stores how the ledger ended an attempt; returns the answer to its request. */
  async finish(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
    { outcome, hash, own, sequence }: End,
  ): Promise<SettleResponse> {
    const { store } = this.#deps
    const { key, attempt, recorded } = submitted
    const { txHash } = recorded
    const failure =
      own.kind === 'failed' && own.applied
        ? await explainFailure(store, network, key, own.applied)
        : undefined
    const result = { ...finalResult(submitted, outcome, hash, failure), sequence }
    if (outcome.kind === 'succeeded') network.payers.balances.notePaid(key.payer, outcome.ledger)
    const finished = await network.stages
      .run('finish', () => this.#finishes.write({ key, attempt, txHash, ...result }))
      .catch((error: unknown) => this.#ifLost(network, submitted, result, error))
    if (!finished) {
      const { state, ledger, response } = result
      if (state !== 'succeeded' && (await this.#isReplaced(submitted))) return superseded(submitted)
      this.#deps.log.error({ ...key, hash, state, ledger }, 'The store lost this settlement')
      return response
    }
    if (finished.isNew) this.#countOutcome(submitted, { outcome, own }, failure)
    return this.#onFinished(network, submitted, result, finished)
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
    const { store, timings, log } = this.#deps
    // Another replica sends after `rebroadcastMs` at the earliest, and reads the row before it does.
    const recordedWithinMs = timings.rebroadcastMs * 0.8
    const isEnded = await refuseAttempt(store.db, { key, attempt, resultCode, recordedWithinMs })
    if (!isEnded) return false
    channelQueue.freed()
    store.notifyFreedChannels(key.network)
    log.debug({ ...key, attempt, hash: recorded.txHash, resultCode }, 'Attempt refused')
    return true
  }

  /** Frees the channel of an envelope that has ended unpaid, while others can still use its authorization for so long. */
  async awaitAuthorization(
    { channelQueue }: ServedNetwork,
    { key, attempt, recorded }: SubmittedSettlement,
    dueInMs: number,
  ): Promise<void> {
    const { store, log } = this.#deps
    const { txHash } = recorded
    if (!(await awaitAuthorization(store.db, { key, attempt, txHash, dueInMs }))) return
    channelQueue.freed()
    store.notifyFreedChannels(key.network)
    log.info(
      { ...key, hash: txHash, dueInMs },
      'Envelope ended, waiting for the authorization to end',
    )
  }

  /** Keeps the id of a payment that was claimed, in case a failover of the database loses it. */
  rememberIdentifier(payment: IdentifiedPayment): void {
    this.#recent.rememberIdentifier(payment)
  }

  /** Stores again what this process has committed lately and the store has lost. */
  restoreLost(): Promise<void> {
    return this.#recent.restoreLost()
  }

  /**
   * A row that is refused was not lost: then every endpoint refused an envelope that the ledger has after all. When the
   * store has lost the record of a payment that was made, it is stored again, at once or when the envelope in its place has
   * ended. Undefined unless it was stored now. Throws any other error again.
   */
  async #ifLost(
    { rpc }: ServedNetwork,
    submitted: SubmittedSettlement,
    { state, response, ledger, feeCharged }: FinalResult,
    error: unknown,
  ): Promise<FinishOutcome | undefined> {
    if (!(error instanceof RecordLost)) throw error
    const { store } = this.#deps
    const { key } = submitted
    const row = await findSettlement(store.db, key)
    const landed = row?.state === 'refused' ? await finishLanded(store, rpc, row) : undefined
    if (landed) return { settlement: landed, isNew: true }
    if (state !== 'succeeded' || ledger === undefined || feeCharged === undefined) return undefined
    const succeeded = { ...submitted, response: { ...response }, ledger, feeCharged }
    if ((await this.#recent.restore(succeeded)) !== 'restored') return undefined
    const settlement = await findSettlement(store.db, key)
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
    { outcome, own }: Pick<End, 'outcome' | 'own'>,
    failure: LedgerFailure | undefined,
  ): void {
    const { clock, metrics } = this.#deps
    const { network } = key
    if (isTakenOver) metrics.reconciled.inc()
    if (own.kind === 'failed') {
      const cause = failure?.code ?? ''
      metrics.failedFees.inc({ network, cause }, Number(own.feeCharged))
    }
    const reason = serviceFaultOf(outcome, failure, key.payer)
    if (reason !== undefined) metrics.settlementFailures.inc({ network, reason })
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
      this.#remember(settlement)
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

  #remember(settlement: Settlement): void {
    const { state, recorded, outcome } = settlement
    const { response, ledger, feeCharged } = outcome ?? {}
    if (state !== 'succeeded' || !recorded || !response) return
    if (ledger === undefined || feeCharged === undefined) return
    this.#recent.rememberSuccess({ ...settlement, recorded, response, ledger, feeCharged })
  }
}

/** Another process has ended this attempt; the next request finds out how the settlement goes on. */
export const superseded = (submitted: SubmittedSettlement): SettleResponse =>
  notSettled(subjectOfSettlement(submitted), {
    code: settleCodes.inProgress,
  })

/** The service's own fault in an outcome: undefined for a success, and when another party can have caused it. */
function serviceFaultOf(
  { kind }: FinalLedgerOutcome,
  failure: LedgerFailure | undefined,
  payer: string,
): string | undefined {
  if (kind === 'succeeded') return undefined
  if (kind === 'expired') return EXPIRED
  return isServiceLedgerFault(failure?.code, payer) ? (failure?.code ?? UNKNOWN_CAUSE) : undefined
}
