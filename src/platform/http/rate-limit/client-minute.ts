import type { QuotaAnswer, QuotaRequest } from '../../core/rate-windows.ts'

export interface ClientMinuteOptions {
  readonly client: string
  readonly perMinute: number
  /** Unix ms by this process's clock. */
  readonly endsAt: number
  readonly isShared: boolean
}

/** One replica's count of one client's calls in the current minute. */
export class ClientMinute {
  readonly client: string
  readonly #perMinute: number
  #endsAt: number
  #minute: string | undefined
  /** Total reported by all replicas, plus what this one has reported since. */
  #reported = 0
  #allowance: number
  /** Calls admitted here since the last answer. */
  #used = 0

  constructor({ client, perMinute, endsAt, isShared }: ClientMinuteOptions) {
    this.client = client
    this.#perMinute = perMinute
    this.#endsAt = endsAt
    this.#allowance = isShared ? 0 : perMinute
  }

  get endsAt(): number {
    return this.#endsAt
  }

  /** Admits or refuses one call where this replica can decide; undefined: the shared count decides. */
  decide(): boolean | undefined {
    if (this.#reported + this.#used >= this.#perMinute) return false
    if (this.#used >= this.#allowance) return undefined
    this.#used += 1
    return true
  }

  /** Admits or refuses one call by this replica's count, without the other replicas. */
  decideLocally(): boolean {
    if (this.#reported + this.#used >= this.#perMinute) return false
    this.#used += 1
    return true
  }

  /** The request to send; until its answer every call has to wait. */
  startRequest(waiting: number): QuotaRequest {
    const { client } = this
    const request = {
      client,
      minute: this.#minute,
      allowance: this.#allowance,
      used: this.#used,
      waiting,
    }
    this.#reported += this.#used
    this.#used = 0
    this.#allowance = 0
    return request
  }

  applyAnswer({ minute, msLeft, allowance, used }: QuotaAnswer, now: number): void {
    // The store may lack what a lost request reported; this replica still counts it.
    this.#reported = minute === this.#minute ? Math.max(used, this.#reported) : used
    this.#minute = minute
    this.#endsAt = now + msLeft
    this.#allowance = allowance
  }
}
