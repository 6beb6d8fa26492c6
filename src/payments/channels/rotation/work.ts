import { formatXlm } from '../../../platform/core/amounts/stroops.ts'
import { afterTries } from '../after-tries.ts'
import { ProvisionFailure } from '../create/create-channels.ts'
import { type DoneHere, isFree, lacks, mustRetire, type Sending, sendingOf } from './facts.ts'
import type { RotationOptions } from './options.ts'
import type { RotationState } from './phases.ts'
import { DRAIN_POLL_MS, drainOld, provisionNew, retireOld } from './steps.ts'
import { MAX_FAILED_ATTEMPTS, SweepFailure } from './sweep-failure.ts'
import { sendFunds } from './sweep-step.ts'
import type { RotationView } from './view.ts'

const MOVE_POLL_MS = 2_000

/** The work of one process in the phases of a rotation, and its results. */
export class RotationWork {
  readonly done: { -readonly [Key in keyof DoneHere]: DoneHere[Key] } = {
    isShort: false,
    isRetired: false,
    isSwept: false,
  }
  readonly sum = { merged: 0, swept: 0n, fees: 0n }
  keptAuthority: string | undefined
  readonly #options: RotationOptions
  /** Transactions in a row that moved no XLM of the old sponsor. */
  #failed = 0
  #said = ''

  constructor(options: RotationOptions) {
    this.#options = options
  }

  /** Does what the phase asks for; whether store and ledger have to be read again. */
  async advance(state: RotationState, view: RotationView): Promise<boolean> {
    const options = this.#options
    const sending = sendingOf(state, view, options)
    if (sending && !this.done.isSwept) {
      await this.#send(sending, view)
      return true
    }
    const { phase } = state
    const isBefore = phase === 'Provisioning' || phase === 'Moving'
    const isDue = phase === 'Done' || (isBefore && !this.done.isShort)
    if (isDue && lacks(view, options.servesUpto)) {
      await this.#provision(view, phase === 'Done')
      return true
    }
    if (phase !== 'Retiring') return false
    if (!isFree(view.from, options.mode)) {
      await drainOld(options, view)
      return true
    }
    if (!mustRetire(view.from, this.done)) return false
    await this.#retire(view)
    return true
  }

  /** Says what the phase waits for, and waits. */
  async waits({ phase, message }: RotationState): Promise<void> {
    const { clock, signal } = this.#options
    this.#say(message.replace(/\.$/, ''))
    await clock.sleep(phase === 'Moving' ? MOVE_POLL_MS : DRAIN_POLL_MS, signal)
  }

  async #send(sending: Sending, view: RotationView): Promise<void> {
    this.#say(sendingSentence(sending, view.to.address))
    const outcome = await sendFunds(this.#options, sending, view)
    if (outcome.kind !== 'nothing') this.sum.fees += outcome.fee
    if (outcome.kind !== 'again') {
      if (outcome.kind === 'swept') this.sum.swept += outcome.amount
      this.#failed = 0
      if (sending.do === 'sweep') this.done.isSwept = true
      return
    }
    this.#failed += 1
    if (this.#failed >= MAX_FAILED_ATTEMPTS) {
      const tried = afterTries(this.#failed, outcome.because)
      throw new SweepFailure(`the XLM of the old sponsor could not be sent ${tried}`)
    }
    await this.#options.clock.sleep(DRAIN_POLL_MS, this.#options.signal)
  }

  async #provision(view: RotationView, isLast: boolean): Promise<void> {
    try {
      await provisionNew(this.#options, view)
    } catch (error) {
      const isHopeless = this.#options.mode === 'planned' || isLast
      if (isHopeless || !(error instanceof ProvisionFailure)) throw error
      // The old sponsor's reserves may be what it lacks.
      this.#say(error.message)
      this.done.isShort = true
    }
  }

  async #retire(view: RotationView): Promise<void> {
    const { merged, fees, rescued, keptAuthority } = await retireOld(this.#options, view)
    this.sum.merged += merged
    this.sum.fees += fees
    this.sum.swept += rescued
    this.keptAuthority = keptAuthority
    this.done.isRetired = true
  }

  /** A phase that waits says the same only once. */
  #say(sentence: string): void {
    if (sentence !== this.#said) this.#options.say(sentence)
    this.#said = sentence
  }
}

/** @param to address of the new sponsor */
function sendingSentence(sending: Sending, to: string): string {
  if (sending.do === 'save') {
    return `sends ${formatXlm(sending.amount)} of the old sponsor to ${to} first`
  }
  return sending.how === 'merge'
    ? `merges the old sponsor into ${to}`
    : `sends the ${formatXlm(sending.amount)} that are left to ${to}`
}
