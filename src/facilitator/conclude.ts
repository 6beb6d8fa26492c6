import type { Clock } from '../core/clock.ts'
import { asStroops } from '../core/stroops.ts'
import type { Store } from '../store/open.ts'
import { flagUnresolvable, renewFollowing } from '../store/settlements/due.ts'
import {
  type FinishOutcome,
  finishIfRecent,
  finishSettlement,
} from '../store/settlements/finish.ts'
import { settlementId } from '../store/settlements/settlement.ts'
import { inLogScope } from '../telemetry/log-scope.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { storedAnswer } from './answers.ts'
import {
  type Ending,
  endingOf,
  type FinalVerdict,
  refusedEnding,
  type Submitted,
  subject,
} from './ending.ts'
import { judge, type Verdict } from './judge.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Timings } from './timings.ts'

export interface ConcluderOptions {
  readonly store: Store
  readonly clock: Clock
  readonly timings: Timings
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

/** What one look came to. */
type Look =
  | { readonly kind: 'answered'; readonly answer: SettleResponse }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'undecidable'; readonly because: string }

const RETRY_AFTER_FAULT_MS = 1_000
/**
 * What the network has taken in is sent again only after so many times `rebroadcastMs`: longer than a
 * ledger takes (5 s), or every settlement would be sent twice; well under `followedForMs`.
 */
const PATIENCE_ONCE_TAKEN_IN = 2

/**
 * Follows recorded envelopes to their end, one follower a hash however many wait: sends the same
 * bytes again, waits for the ledger, and stores the one true answer.
 */
export class Concluder {
  readonly #options: ConcluderOptions
  readonly #following = new Map<string, Promise<SettleResponse | undefined>>()

  constructor(options: ConcluderOptions) {
    this.#options = options
  }

  /**
   * Resolves with the stored answer; undefined when nobody can tell what became of the payment.
   * Rejects only with the signal's reason.
   */
  conclude(network: ServedNetwork, submitted: Submitted): Promise<SettleResponse | undefined> {
    const { txHash } = submitted.recorded
    const followed = this.#following.get(txHash)
    if (followed !== undefined) return followed
    const settlement = settlementId(submitted.key)
    const follow = () => this.#follow(network, submitted)
    const following = inLogScope({ settlement }, follow).finally(() => {
      this.#following.delete(txHash)
    })
    this.#following.set(txHash, following)
    // Whoever waits sees the rejection; with nobody waiting, a stop is no fault.
    following.catch(() => undefined)
    return following
  }

  /** Whether this process follows the envelope already. */
  follows(txHash: string): boolean {
    return this.#following.has(txHash)
  }

  /** Resolves when nothing is followed any more. */
  async idle(): Promise<void> {
    while (this.#following.size > 0) await Promise.allSettled(this.#following.values())
  }

  /**
   * Ends an envelope that the network would not take in. Undefined when it was recorded so long ago
   * that another replica may have sent it too: then only the ledger can tell.
   */
  async refuse(
    network: ServedNetwork,
    submitted: Submitted,
    because: string,
  ): Promise<SettleResponse | undefined> {
    const { store, timings } = this.#options
    // Others send again after `rebroadcastMs` at the soonest, and look at the row before they do.
    const recordedWithinMs = timings.rebroadcastMs * 0.8
    const ending = refusedEnding(submitted, because)
    const { key, attempt } = submitted
    const request = { key, attempt, ...ending }
    const finished = await finishIfRecent(store.db, request, recordedWithinMs)
    return finished && this.#freed(network, submitted, ending, finished)
  }

  async #follow(network: ServedNetwork, submitted: Submitted): Promise<SettleResponse | undefined> {
    const { store, clock, signal, metrics, log } = this.#options
    for (;;) {
      signal.throwIfAborted()
      try {
        const look = await this.#look(network, submitted)
        if (look.kind === 'answered') return look.answer
        if (look.kind === 'undecidable') {
          const { because } = look
          log.error({ ...subject(submitted), because }, 'Settlement cannot be resolved')
          await flagUnresolvable(store.db, submitted.key, because)
          return undefined
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        metrics.backgroundErrors.inc({ task: 'follow' })
        log.warn({ err: error, hash: submitted.recorded.txHash }, 'Could not follow a settlement')
        await clock.sleep(RETRY_AFTER_FAULT_MS, signal)
      }
    }
  }

  async #look(network: ServedNetwork, submitted: Submitted): Promise<Look> {
    const { timings } = this.#options
    const { recorded, isTakenIn } = submitted
    const { confirmations } = network
    const withinMs = timings.rebroadcastMs * (isTakenIn ? PATIENCE_ONCE_TAKEN_IN : 1)
    const status = await confirmations.watch(recorded.txHash, withinMs, recorded)
    const seen = status ? judge(status, recorded) : ({ kind: 'waiting' } as const)
    const verdict = seen.kind === 'expired' ? await this.#judgeInside(network, submitted) : seen
    if (verdict.kind === 'undecidable') return verdict
    if (verdict.kind === 'waiting') return this.#sendAgain(network, submitted)

    const { store } = this.#options
    const { key, attempt } = submitted
    const onLedger = seen.kind === verdict.kind ? recorded.txHash : recorded.innerHash
    const ending = endingOf(submitted, verdict, onLedger)
    const finished = await network.stages.run('finish', () =>
      finishSettlement(store.db, { key, attempt, ...ending }),
    )
    if (finished.isNew) this.#countEnd(submitted, verdict.kind)
    return { kind: 'answered', answer: this.#freed(network, submitted, ending, finished) }
  }

  /**
   * The channel's transaction is whole without the sponsor's fee bump: whoever saw the envelope may
   * have sent it in another one, at his own expense (CAP-15). Then it is on the ledger, though no
   * look-up of our envelope finds it.
   */
  async #judgeInside({ rpc }: ServedNetwork, { recorded }: Submitted): Promise<Verdict> {
    const status = await rpc.transaction(recorded.innerHash, this.#options.signal)
    const verdict = judge(status, recorded)
    return 'feeCharged' in verdict ? { ...verdict, feeCharged: asStroops(0n) } : verdict
  }

  /** The network's answer does not matter: whether the bytes are in is for the ledger to say. */
  async #sendAgain({ rpc }: ServedNetwork, { key, attempt, recorded }: Submitted): Promise<Look> {
    const { store, timings, signal } = this.#options
    const settlement = await renewFollowing(store.db, key, timings.followedForMs)
    if (settlement?.attempt !== attempt) {
      return { kind: 'undecidable', because: 'the store does not know the settlement any more' }
    }
    if (settlement.outcome) {
      return { kind: 'answered', answer: storedAnswer(settlement.outcome.response) }
    }
    await rpc.send(recorded.envelopeXdr, signal)
    return { kind: 'waiting' }
  }

  #countEnd({ key, sentAtMs, isTakenUp }: Submitted, outcome: FinalVerdict['kind']): void {
    const { clock, metrics } = this.#options
    if (isTakenUp) metrics.reconciled.inc()
    if (sentAtMs === undefined) return
    const labels = { network: key.network, outcome }
    metrics.confirmTime.observe(labels, (clock.now() - sentAtMs) / 1_000)
  }

  #freed(
    { channelQueue }: ServedNetwork,
    { key, recorded, sentAtMs }: Submitted,
    { state, response, ledger }: Ending,
    { settlement, isNew }: FinishOutcome,
  ): SettleResponse {
    const { clock, timings, log } = this.#options
    if (isNew) {
      channelQueue.freed()
      // As long as its request waits, the answer to that is the one line that everybody sees.
      const isAnswering = sentAtMs !== undefined && clock.now() - sentAtMs < timings.confirmWindowMs
      log[isAnswering ? 'debug' : 'info'](
        { ...key, hash: recorded.txHash, state, ledger },
        'Settlement finished',
      )
    }
    return settlement.outcome ? storedAnswer(settlement.outcome.response) : response
  }
}
