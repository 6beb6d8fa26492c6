/** What was signed lately: the fees of an hour, the new accounts of a day, and the hashes that may come again. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A transaction is signed at most 10 minutes before its max time: later, none comes again that would be signed. */
const REPEAT_MS = 11 * MINUTE_MS

export interface Counted {
  /** 64 hex digits. */
  readonly hash: string
  /** Stroops. */
  readonly fee: bigint
  readonly accounts: number
  /** Unix ms, never before that of what was added before. */
  readonly time: number
}

export class Usage {
  readonly #fees = new SlidingSum(HOUR_MS, 1_000)
  readonly #accounts = new SlidingSum(DAY_MS, MINUTE_MS)
  readonly #hashes = new Map<string, number>()

  /** Whether the hash was counted so lately that its transaction may still be valid: a ledger includes it once, however often it was signed. */
  isRepeat(hash: string, now: number): boolean {
    const time = this.#hashes.get(hash)
    return time !== undefined && now - time < REPEAT_MS
  }

  /** Stroops in the hour before `now`. */
  feesOfHour(now: number): bigint {
    return this.#fees.at(now)
  }

  accountsOfDay(now: number): bigint {
    return this.#accounts.at(now)
  }

  add({ hash, fee, accounts, time }: Counted): void {
    this.#fees.add(fee, time)
    this.#accounts.add(BigInt(accounts), time)
    this.#forget(time)
    // At the end, where the newest are, also when the hash was there before.
    this.#hashes.delete(hash)
    this.#hashes.set(hash, time)
  }

  #forget(now: number): void {
    for (const [hash, time] of this.#hashes) {
      if (now - time < REPEAT_MS) return
      this.#hashes.delete(hash)
    }
  }
}

/** The sum over a window of time. What was added within one step leaves the window together, with the last of it. */
class SlidingSum {
  readonly #windowMs: number
  readonly #stepMs: number
  readonly #steps: { readonly step: number; amount: bigint }[] = []
  #sum = 0n

  constructor(windowMs: number, stepMs: number) {
    this.#windowMs = windowMs
    this.#stepMs = stepMs
  }

  add(amount: bigint, time: number): void {
    if (amount === 0n) return
    this.#forget(time)
    const step = Math.floor(time / this.#stepMs)
    const last = this.#steps.at(-1)
    if (last?.step === step) last.amount += amount
    else this.#steps.push({ step, amount })
    this.#sum += amount
  }

  at(now: number): bigint {
    this.#forget(now)
    return this.#sum
  }

  #forget(now: number): void {
    for (let first = this.#steps[0]; first; first = this.#steps[0]) {
      if ((first.step + 1) * this.#stepMs + this.#windowMs > now) return
      this.#sum -= first.amount
      this.#steps.shift()
    }
  }
}
