import type { PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { type ToolResult, withReceipt } from './transport.ts'

/** How long a process may work on one payment. After that another one may begin, in case the first has ended. */
const WORK_MS = 600_000
/** How long a repeat waits for the process that works on its payment. */
const WAIT_MS = 30_000
const POLL_MS = 250

/** A payment and what it is to pay for. `payment` and `call` are digests. */
export interface Claim {
  /** In a store: `paymentKey`. */
  readonly key: string
  /** Of the whole payment. */
  readonly payment: string
  /** Of the tool and its arguments. */
  readonly call: string
  /** Of the extension `payment-identifier`. */
  readonly id: string | undefined
}

/** What a tool made, which is not paid for yet. */
export interface Made {
  /** What the buyer accepted. */
  readonly price: PaymentRequirements
  readonly result: ToolResult
  /** What is charged in place of the price. Base units. */
  readonly amount?: string | undefined
}

export type Outcome =
  | { readonly kind: 'answered'; readonly result: ToolResult }
  | {
      readonly kind: 'refused'
      readonly reason: string
      /** What the facilitator said of the settlement. */
      readonly receipt?: SettleResponse | undefined
    }

export interface Work {
  /** Verifies the payment and runs the tool: either is free of charge until `settle` has succeeded. */
  make(): Promise<Made | Outcome>
  settle(made: Made): Promise<SettleResponse>
}

export interface DeliveryDeps {
  readonly store: DeliveryStore
  readonly clock: Clock
  /** How long an answer is kept for repeats. */
  readonly keepMs: number
  readonly onError: (error: unknown) => void
}

type Progress =
  | { readonly state: 'in_work' }
  | ({ readonly state: 'made' } & Made)
  | { readonly state: 'delivered'; readonly result: ToolResult }

/** What the store has of a payment. */
type Stored = Pick<Claim, 'payment' | 'call'> & Progress

interface Current {
  readonly claim: Claim
  readonly outcome: Promise<Outcome>
}

/**
 * Runs the tool once for each payment, and answers each repeat of its call with the same result. What the tool made is
 * stored before it is settled: whatever happens in between, a repeat settles the payment and does not run the tool again.
 */
export class Deliveries {
  readonly #deps: DeliveryDeps
  /** What this process works on, by the key of the payment. */
  readonly #current = new Map<string, Current>()

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** Throws what `work.make` throws, and what the store throws before anything is paid. */
  async once(claim: Claim, work: Work): Promise<Outcome> {
    const { store, keepMs } = this.#deps
    if (claim.id === undefined) return this.#joined(claim, work)
    const key = `x402:mcp:id:${claim.id}`
    const kept = await store.putIfAbsent(key, claim.payment, WORK_MS)
    if (kept !== undefined && kept !== claim.payment) return idOfAnother
    let isMade = false
    const make = async () => {
      const made = await work.make()
      if ('kind' in made) return made
      // A call that failed meanwhile may have freed it, and another payment have taken it: nothing is settled yet.
      const holder = await store.putIfAbsent(key, claim.payment, keepMs)
      if (holder !== undefined && holder !== claim.payment) return idOfAnother
      isMade = true
      await store.put(key, claim.payment, keepMs)
      return made
    }
    try {
      return await this.#joined(claim, { make, settle: work.settle })
    } finally {
      // An id that bought nothing is free for another payment.
      if (!isMade && kept === undefined) await this.#forget(key)
    }
  }

  #joined(claim: Claim, work: Work): Promise<Outcome> {
    const { key } = claim
    const current = this.#current.get(key)
    if (current) {
      return isSame(current.claim, claim) ? current.outcome : Promise.resolve(usedForAnother)
    }
    const outcome = this.#deliver(key, claim, work).finally(() => this.#current.delete(key))
    this.#current.set(key, { claim, outcome })
    return outcome
  }

  async #deliver(key: string, claim: Claim, work: Work): Promise<Outcome> {
    const { store, clock } = this.#deps
    const deadline = clock.now() + WAIT_MS
    for (;;) {
      const kept = await store.putIfAbsent(key, stored(claim, { state: 'in_work' }), WORK_MS)
      if (kept === undefined) return this.#make(key, claim, work)
      const entry = JSON.parse(kept) as Stored
      if (!isSame(entry, claim)) return usedForAnother
      if (entry.state === 'delivered') return { kind: 'answered', result: entry.result }
      if (entry.state === 'made') return this.#settle(key, claim, work, entry)
      if (clock.now() >= deadline) return { kind: 'refused', reason: 'payment_in_progress' }
      await clock.sleep(POLL_MS)
    }
  }

  async #make(key: string, claim: Claim, work: Work): Promise<Outcome> {
    const { store, keepMs } = this.#deps
    let made: Made | Outcome
    try {
      made = await work.make()
      if ('kind' in made) await this.#forget(key)
      else await store.put(key, stored(claim, { state: 'made', ...made }), keepMs)
    } catch (error) {
      await this.#forget(key)
      throw error
    }
    return 'kind' in made ? made : this.#settle(key, claim, work, made)
  }

  async #settle(key: string, claim: Claim, work: Work, made: Made): Promise<Outcome> {
    const { store, keepMs, onError } = this.#deps
    const receipt = await work.settle(made)
    if (!receipt.success) {
      return { kind: 'refused', reason: receipt.errorReason ?? 'settlement_failed', receipt }
    }
    const result = withReceipt(made.result, receipt)
    // Whoever has paid gets the answer, also where it cannot be kept; a repeat then settles again, which changes nothing.
    await store.put(key, stored(claim, { state: 'delivered', result }), keepMs).catch(onError)
    return { kind: 'answered', result }
  }

  /** The entry also ends by itself. */
  #forget(key: string): Promise<void> {
    return this.#deps.store.remove(key).catch(this.#deps.onError)
  }
}

const idOfAnother: Outcome = { kind: 'refused', reason: 'payment_identifier_conflict' }

const usedForAnother: Outcome = { kind: 'refused', reason: 'payment_used_for_another_call' }

const isSame = (a: Pick<Claim, 'payment' | 'call'>, b: Claim) =>
  a.payment === b.payment && a.call === b.call

const stored = ({ payment, call }: Claim, progress: Progress): string =>
  JSON.stringify({ payment, call, ...progress } satisfies Stored)
