import { assertNever } from '../core/assert-never.ts'
import type { Clock } from '../core/clock.ts'
import type { Store } from '../store/open.ts'
import type { RecordedEnvelope, SettlementKey } from '../store/settlements/settlement.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { notSettled, type SettleSubject, settled, storedAnswer } from './answers.ts'
import { judge, type Verdict } from './judge.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Timings } from './timings.ts'

/** A settlement whose envelope is in the store, and may be on its way. */
export interface Submitted {
  readonly key: SettlementKey
  readonly attempt: number
  readonly recorded: Omit<RecordedEnvelope, 'recordedAt'>
}

export interface ConcluderOptions {
  readonly store: Store
  readonly clock: Clock
  readonly timings: Timings
  readonly log: Logger
  readonly signal: AbortSignal
  /** Called when this process freed a channel. */
  readonly onFreed: () => void
}

type Final = Extract<Verdict, { kind: 'succeeded' | 'failed' | 'expired' }>

const RETRY_AFTER_FAULT_MS = 1_000

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
    const following = this.#follow(network, submitted).finally(() => {
      this.#following.delete(txHash)
    })
    this.#following.set(txHash, following)
    // Whoever waits sees the rejection; with nobody waiting, a stop is no fault.
    following.catch(() => undefined)
    return following
  }

  /** Ends a recorded envelope that the network refused to take in. */
  async refuse(submitted: Submitted, because: string): Promise<SettleResponse> {
    const message = `the network refused the transaction: ${because}`
    const response = notSettled(subject(submitted), {
      code: 'settle_exact_stellar_transaction_submission_failed',
      message,
      transaction: submitted.recorded.txHash,
    })
    return this.#finish(submitted, { state: 'failed', response, sequence: 'unknown' })
  }

  async #follow(network: ServedNetwork, submitted: Submitted): Promise<SettleResponse | undefined> {
    const { clock, signal, log } = this.#options
    for (;;) {
      signal.throwIfAborted()
      try {
        const verdict = await this.#look(network, submitted)
        if (verdict.kind === 'undecidable') {
          log.error(
            { ...subject(submitted), because: verdict.because },
            'Settlement is undecidable',
          )
          return undefined
        }
        if (verdict.kind !== 'waiting') return await this.#end(submitted, verdict)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        log.warn({ err: error, hash: submitted.recorded.txHash }, 'Could not follow a settlement')
        await clock.sleep(RETRY_AFTER_FAULT_MS, signal)
      }
    }
  }

  async #look(network: ServedNetwork, { recorded }: Submitted): Promise<Verdict> {
    const { timings, signal } = this.#options
    const { rpc, confirmations } = network
    const status = await confirmations.watch(
      recorded.txHash,
      timings.rebroadcastMs,
      recorded.recordedAtLedger,
    )
    const verdict = status ? judge(status, recorded) : ({ kind: 'waiting' } as const)
    // The answer does not matter: whether the bytes are in is for the ledger to say.
    if (verdict.kind === 'waiting') await rpc.send(recorded.envelopeXdr, signal)
    return verdict
  }

  #end(submitted: Submitted, verdict: Final): Promise<SettleResponse> {
    const { txHash: transaction } = submitted.recorded
    switch (verdict.kind) {
      case 'succeeded':
        return this.#finish(submitted, {
          state: 'succeeded',
          response: settled(subject(submitted), transaction),
          sequence: 'keep',
          verdict,
        })
      case 'failed': {
        const code = 'settle_exact_stellar_transaction_failed'
        const message = `the transaction failed on ledger ${verdict.ledger}: ${verdict.because}`
        return this.#finish(submitted, {
          state: 'failed',
          response: notSettled(subject(submitted), { code, message, transaction }),
          sequence: 'keep',
          verdict,
        })
      }
      case 'expired': {
        const code = 'settle_exact_stellar_transaction_expired'
        const message = verdict.because
        return this.#finish(submitted, {
          state: 'expired',
          response: notSettled(subject(submitted), { code, message, transaction }),
          sequence: 'unknown',
        })
      }
      default:
        return assertNever(verdict)
    }
  }

  async #finish({ key, attempt, recorded }: Submitted, ending: Ending): Promise<SettleResponse> {
    const { store, log, onFreed } = this.#options
    const { state, response, sequence, verdict } = ending
    const { settlement, isNew } = await store.settlements.finish({
      key,
      attempt,
      state,
      response,
      sequence,
      ledger: verdict?.ledger,
      feeCharged: verdict?.feeCharged,
    })
    if (isNew) {
      onFreed()
      log.info(
        { ...key, hash: recorded.txHash, state, ledger: verdict?.ledger },
        'Settlement finished',
      )
    }
    return settlement.outcome ? storedAnswer(settlement.outcome.response) : response
  }
}

interface Ending {
  readonly state: 'succeeded' | 'failed' | 'expired'
  readonly response: SettleResponse
  readonly sequence: 'keep' | 'unknown'
  readonly verdict?: Extract<Final, { kind: 'succeeded' | 'failed' }>
}

const subject = ({ key }: Submitted): SettleSubject & { payer: string } => ({
  network: key.network,
  payer: key.payer,
})
