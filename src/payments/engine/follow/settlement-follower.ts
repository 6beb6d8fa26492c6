import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { undefinedWhenLate, withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import { onBackgroundError } from '../../../platform/telemetry/background-error.ts'
import { inLogScope } from '../../../platform/telemetry/logs/log-scope.ts'
import { maxLedgerOf } from '../../../stellar/transactions/settlement-envelope.ts'
import type { SettleResponse } from '../../protocol/protocol.ts'
import { flagUnresolvable, renewFollowing } from '../../store/settlements/due.ts'
import { settlementId } from '../../store/settlements/settlement.ts'
import { listRefusedAttempts } from '../../store/settlements/transitions/refuse.ts'
import { storedAnswer } from '../answers/settle-answer.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import {
  type FinalLedgerOutcome,
  type SubmittedSettlement,
  subjectOfSettlement,
  unfinishedAnswer,
} from './final-result.ts'
import { findRefused, nothingRefused, type RefusedOnLedger } from './landed-after-all.ts'
import { type LandingWindow, type LedgerOutcome, ledgerOutcome } from './ledger-outcome.ts'
import { findMadeElsewhere, type MadeElsewhere } from './made-elsewhere.ts'
import { type FinisherDeps, SettlementFinisher, superseded } from './settlement-finisher.ts'

/** Result of one round: one wait for the ledger, and one more send without a result. */
type Progress =
  | { readonly kind: 'answered'; readonly answer: SettleResponse }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'searching'; readonly searchedThrough: number }
  /** The envelope has ended; whether others make its payment is known after so many ledgers. */
  | { readonly kind: 'open'; readonly ledgersLeft: number }
  | { readonly kind: 'undecidable'; readonly because: string }

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
  readonly #deps: FinisherDeps
  /** Stores how attempts end. */
  readonly finisher: SettlementFinisher
  readonly #following = new Map<string, Promise<SettleResponse | undefined>>()

  constructor(deps: FinisherDeps) {
    this.#deps = deps
    this.finisher = new SettlementFinisher(deps)
  }

  /**
   * Answers with the final response, or with `settlement_pending` when there is none within `withinMs`. What an endpoint
   * refused is followed like any other; only its answer comes sooner.
   */
  async answerWithin(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
    withinMs: number,
  ): Promise<SettleResponse> {
    const { clock, timings } = this.#deps
    const isRefused = submitted.refusedBecause !== undefined
    const limit = { clock, ms: isRefused ? Math.min(withinMs, timings.refusedWaitMs) : withinMs }
    const answer = await network.stages.run('confirm', () =>
      withTimeLimit(limit, () => this.follow(network, submitted)).catch(undefinedWhenLate),
    )
    return answer ?? unfinishedAnswer(submitted)
  }

  /**
   * Resolves with the stored response; undefined when the ledger cannot prove the outcome of
   * the payment, or not before its authorization has ended. Rejects only with the signal's reason.
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

  /** Stores again what this process has committed lately, if a failover of the database has lost it. */
  restoreLost(): Promise<void> {
    return this.finisher.restoreLost()
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

  async #followUntilFinal(
    network: ServedNetwork,
    submitted: SubmittedSettlement,
  ): Promise<SettleResponse | undefined> {
    const { store, clock, timings, signal, log } = this.#deps
    let followed = submitted
    for (;;) {
      signal.throwIfAborted()
      try {
        const progress = await this.#round(network, followed)
        if (progress.kind === 'answered') return progress.answer
        if (progress.kind === 'searching') {
          const { searchedThrough } = progress
          followed = { ...followed, searchedThrough }
          await renewFollowing(store.db, submitted.key, timings.followedForMs)
        }
        if (progress.kind === 'open') {
          const dueInMs = progress.ledgersLeft * network.time.secondsPerLedger * 1_000
          await this.finisher.awaitAuthorization(network, submitted, dueInMs)
          return undefined
        }
        if (progress.kind === 'undecidable') {
          const { because } = progress
          const subject = subjectOfSettlement(submitted)
          const level = submitted.unresolvableBecause === undefined ? 'error' : 'debug'
          log[level]({ ...subject, because }, 'Settlement cannot be resolved')
          await flagUnresolvable(store.db, submitted.key, because, timings.lookAgainMs)
          return undefined
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const { txHash: hash } = submitted.recorded
        onBackgroundError(this.#deps, 'follow', 'Could not follow a settlement', { hash })(error)
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

    const { store, signal } = this.#deps
    const { key, attempt } = submitted
    const refused =
      attempt === 1 ? nothingRefused : await findRefused(store, network.rpc, key, signal)
    const made = await this.#madeElsewhere(network, submitted, outcome, refused)
    if (made.kind === 'undecidable' || made.kind === 'open') return made
    if (made.kind === 'unfinished') {
      return { kind: 'searching', searchedThrough: made.searchedThrough }
    }
    const hash = envelopeOutcome.kind === outcome.kind ? recorded.txHash : recorded.innerHash
    const end = withFees(made.kind === 'made' ? made : { outcome, hash }, refused.feesOfFailed)
    // The channel is of this attempt, whichever transaction has paid.
    const sequence = outcome.kind === 'expired' ? 'unknown' : 'keep'
    const ended = { ...end, own: outcome, sequence } as const
    const answer = await this.finisher.finish(network, submitted, ended)
    return { kind: 'answered', answer }
  }

  async #madeElsewhere(
    { rpc }: ServedNetwork,
    submitted: SubmittedSettlement,
    outcome: FinalLedgerOutcome,
    refused: RefusedOnLedger,
  ): Promise<MadeElsewhere> {
    const { store, signal, log } = this.#deps
    if (outcome.kind === 'succeeded') return { kind: 'not_made' }
    const made = await findMadeElsewhere(store, rpc, submitted, outcome, refused, signal)
    if (made.kind === 'made') {
      const { key, recorded } = submitted
      const { hash: transaction } = made
      log.info({ ...key, hash: recorded.txHash, transaction }, 'Another transaction has paid')
    }
    return made
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
      if (refused.some((one) => one.attempt === attempt))
        return { kind: 'answered', answer: superseded(submitted) }
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
}

interface Ending {
  readonly outcome: FinalLedgerOutcome
  readonly hash: string
}

/** The settlement costs the sponsor what the ledger charged for its failed attempts, too. */
function withFees({ outcome, hash }: Ending, fees: Stroops): Ending {
  if (outcome.kind === 'expired' || fees === 0n) return { outcome, hash }
  return { outcome: { ...outcome, feeCharged: asStroops(outcome.feeCharged + fees) }, hash }
}

const landingOf = ({ recorded, maxLedger }: SubmittedSettlement): LandingWindow => ({
  maxTime: recorded.maxTime,
  recordedAtLedger: recorded.recordedAtLedger,
  maxLedger,
})
