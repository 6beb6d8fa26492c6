import type { NetworkFacts } from '../../diagnosis/facts/facts.ts'

/** The facts of a network that `/health` shows: those from which its warnings follow, and the counts of this process. */
export interface HealthFacts extends NetworkFacts {
  readonly counted: {
    readonly transportErrors1h: number
    readonly leaseWaitP95Ms: number | undefined
  }
}
