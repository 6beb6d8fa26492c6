import type { RateAnswer, RateAsk } from './rate-windows.ts'

export interface RateBucketOptions {
  readonly client: string
  readonly perMinute: number
  /** Unix ms by this process's clock. */
  readonly endsAt: number
  readonly isShared: boolean
}

/** What one replica knows of one client's minute. */
export class RateBucket {
  readonly client: string
  readonly #perMinute: number
  #endsAt: number
  #minute: string | undefined
  /** Used by all replicas, as last told, and what this one has used and told since. */
  #known = 0
  #allowance: number
  /** Let pass since the last answer. */
  #used = 0

  constructor({ client, perMinute, endsAt, isShared }: RateBucketOptions) {
    this.client = client
    this.#perMinute = perMinute
    this.#endsAt = endsAt
    this.#allowance = isShared ? 0 : perMinute
  }

  get endsAt(): number {
    return this.#endsAt
  }

  /** Counts one request if that can be decided here. Undefined: ask. */
  decide(): boolean | undefined {
    if (this.#known + this.#used >= this.#perMinute) return false
    if (this.#used >= this.#allowance) return undefined
    this.#used += 1
    return true
  }

  /** Counts one request by what is known here, whatever the others do. */
  decideAlone(): boolean {
    if (this.#known + this.#used >= this.#perMinute) return false
    this.#used += 1
    return true
  }

  /** What to ask with; from here until the answer every request has to wait. */
  startAsking(waiting: number): RateAsk {
    const { client } = this
    const ask = {
      client,
      minute: this.#minute,
      allowance: this.#allowance,
      used: this.#used,
      waiting,
    }
    this.#known += this.#used
    this.#used = 0
    this.#allowance = 0
    return ask
  }

  learn({ minute, msLeft, allowance, used }: RateAnswer, now: number): void {
    // What a lost ask told the store is still known here.
    this.#known = minute === this.#minute ? Math.max(used, this.#known) : used
    this.#minute = minute
    this.#endsAt = now + msLeft
    this.#allowance = allowance
  }
}
