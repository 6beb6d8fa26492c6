import { assertNever } from '../../../platform/core/assert-never.ts'
import { afterTries } from '../after-tries.ts'
import { ProvisionFailure } from '../create/create-channels.ts'
import { planProvision } from '../create/provision-plan.ts'
import { balanceAt } from './movements.ts'
import { lacks, nextStep, type RotationStep } from './next-step.ts'
import type { RotationOptions } from './options.ts'
import { problemsOf, RotationRefusal } from './refusals.ts'
import { type Rotated, reportOn } from './report.ts'
import { drainingSentence, movingSentence, sendingSentence } from './sentences.ts'
import { DRAIN_POLL_MS, drainOld, provisionNew, retireOld } from './steps.ts'
import { MAX_FAILED_ATTEMPTS, SweepFailure } from './sweep-failure.ts'
import { sendFunds } from './sweep-step.ts'
import { type RotationView, readRotation } from './view.ts'

const MOVE_POLL_MS = 2_000

/** Throws `RotationRefusal` with every reason why the rotation cannot begin or go on, and `ProvisionFailure` when the new sponsor cannot pay. */
export async function checkRotation(options: RotationOptions, view: RotationView): Promise<void> {
  refuseProblems(options, view)
  // In an emergency the old sponsor's XLM comes first.
  if (options.mode === 'emergency' || !lacks(view, options.servesUpto)) return
  await planProvision({ ...options, sponsorSecret: options.to, count: view.wanted })
}

/**
 * Replaces a sponsor by another one, step by step, as `nextStep` says. May be interrupted and called again at any moment, by
 * several processes at once: each step first reads what store and ledger have. Throws what `checkRotation` throws, `RetireFailure` and
 * `SweepFailure` when the old sponsor cannot pay, `RpcError` when the network does not answer, the signal's reason when it aborts.
 */
export async function rotate(options: RotationOptions): Promise<Rotated> {
  const first = await readRotation(options)
  await checkRotation(options, first)
  const start = await balanceAt(options.rpc, first.from.address, options.signal)
  const rotation = new Rotation(options)
  for (let view = first; ; ) {
    options.signal.throwIfAborted()
    const step = nextStep(view, options, rotation.done)
    if (step.do === 'nothing') {
      const { keptAuthority, sum } = rotation
      return { ...(await reportOn(options, { first, start, last: view }, sum)), keptAuthority }
    }
    await rotation.take(step, view)
    view = await readRotation(options)
    // What has changed meanwhile: a settlement that nobody can end, another store's mark.
    refuseProblems(options, view)
  }
}

/** What this process has done of a rotation. */
class Rotation {
  readonly done = new Set<RotationStep['do']>()
  readonly sum = { merged: 0, swept: 0n, fees: 0n }
  keptAuthority: string | undefined
  readonly #options: RotationOptions
  /** Transactions in a row that moved no XLM of the old sponsor. */
  #failed = 0
  #said = ''

  constructor(options: RotationOptions) {
    this.#options = options
  }

  async take(step: Exclude<RotationStep, { do: 'nothing' }>, view: RotationView): Promise<void> {
    switch (step.do) {
      case 'save':
      case 'sweep':
        return this.#send(step, view)
      case 'provision':
        return this.#provision(view)
      case 'move':
        return this.#wait(movingSentence(step), MOVE_POLL_MS)
      case 'drain':
        await drainOld(this.#options, view)
        return this.#wait(drainingSentence(view.from), DRAIN_POLL_MS)
      case 'retire':
        return this.#retire(view)
      default:
        assertNever(step)
    }
  }

  async #send(
    step: Extract<RotationStep, { do: 'save' | 'sweep' }>,
    view: RotationView,
  ): Promise<void> {
    this.#say(sendingSentence(step, view.to.address))
    const outcome = await sendFunds(this.#options, step, view)
    if (outcome.kind !== 'nothing') this.sum.fees += outcome.fee
    if (outcome.kind !== 'again') {
      if (outcome.kind === 'swept') this.sum.swept += outcome.amount
      this.#failed = 0
      if (step.do === 'sweep') this.done.add('sweep')
      return
    }
    this.#failed += 1
    if (this.#failed >= MAX_FAILED_ATTEMPTS) {
      const tried = afterTries(this.#failed, outcome.because)
      throw new SweepFailure(`the XLM of the old sponsor could not be sent ${tried}`)
    }
    await this.#options.clock.sleep(DRAIN_POLL_MS, this.#options.signal)
  }

  async #provision(view: RotationView): Promise<void> {
    try {
      await provisionNew(this.#options, view)
    } catch (error) {
      const isHopeless = this.#options.mode === 'planned' || this.done.has('provision')
      if (isHopeless || !(error instanceof ProvisionFailure)) throw error
      // The old sponsor's reserves may be what it lacks.
      this.#say(error.message)
      this.done.add('provision')
    }
  }

  async #wait(sentence: string, ms: number): Promise<void> {
    this.#say(sentence)
    await this.#options.clock.sleep(ms, this.#options.signal)
  }

  async #retire(view: RotationView): Promise<void> {
    const { merged, fees, rescued, keptAuthority } = await retireOld(this.#options, view)
    this.sum.merged += merged
    this.sum.fees += fees
    this.sum.swept += rescued
    this.keptAuthority = keptAuthority
    this.done.add('retire')
  }

  /** A step that waits says the same only once. */
  #say(sentence: string): void {
    if (sentence !== this.#said) this.#options.say(sentence)
    this.#said = sentence
  }
}

function refuseProblems(options: RotationOptions, view: RotationView): void {
  const problems = problemsOf(view, options)
  if (problems.length > 0) throw new RotationRefusal(problems.join('; '))
}
