import type { SteadyClock } from '../core/clock.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { KubeClient } from './client.ts'
import type { KubeMetrics } from './metrics.ts'
import type { ObjectName } from './resource.ts'

export interface ElectorOptions {
  /** One of its own: it must not wait behind other requests for sockets or the rate limit. */
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>
  readonly lease: ObjectName
  /** Never the same twice: the pod's name and something random. */
  readonly identity: string
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics | undefined
  /** How long a lease lasts that is not renewed; 30 s when absent. */
  readonly durationMs?: number | undefined
  /** How long renewing may fail before the holder gives up; 20 s when absent. Less than `durationMs`. */
  readonly renewDeadlineMs?: number | undefined
  /** How often a holder renews; 4 s when absent. */
  readonly renewMs?: number | undefined
  /** How often a follower looks, with up to a fifth more; 2 s when absent, so that a hand-over takes less than 3 s. */
  readonly lookMs?: number | undefined
  /** The highest epoch that a store has seen, should the lease have been deleted meanwhile. */
  readonly highestEpoch?: ((signal: AbortSignal) => Promise<number>) | undefined
}

/** One time of leading. */
export interface Term {
  /** Higher in each term than in all before; the lease's `leaseTransitions`. A fence for writes to a store. */
  readonly epoch: number
  /** Of the lease: one that was deleted and made again counts its epochs from the beginning. */
  readonly leaseUid: string
  /** Aborts the moment that the lease is lost, and never otherwise. */
  readonly signal: AbortSignal
  /**
   * Monotonic time until which nobody else can lead, counted from before the last renewal was sent.
   * What must not overlap with a successor has to be over by then. In the past once the term is over.
   */
  validUntil(): number
}

/** `lost` asks for the end of the process: what it holds in memory may be somebody else's now. */
export type ElectionEnd = 'stopped' | 'lost'

export interface ElectionRun {
  /** Aborts when the process shall end. Followers stop at once; a leader's `lead` has to return first. */
  readonly stop: AbortSignal
  /** Runs while this process leads. The lease is kept until it returns, and released then. */
  readonly lead: (term: Term) => Promise<void>
}

export interface Elector {
  /** False when a leader has not renewed for its duration and 20 s more: it hangs, and the process should be killed. */
  isHealthy(): boolean
  isLeading(): boolean
  /**
   * Waits until it may lead, leads once, and ends. When the lease is lost, at most 2 s pass until it
   * resolves, whatever `lead` does. Rejects with what `lead` rejects with.
   */
  run(run: ElectionRun): Promise<ElectionEnd>
}
