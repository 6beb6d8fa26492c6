import type { NetworkFacts } from '../../diagnosis/facts/facts.ts'

/** What `/health` shows of a network: what its warnings are found in, and what this process has counted. */
export interface HealthFacts extends NetworkFacts {
  readonly counted: {
    readonly transportErrors1h: number
    readonly leaseWaitP95Ms: number | undefined
  }
}
