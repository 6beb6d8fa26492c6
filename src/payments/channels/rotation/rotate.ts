import { planProvision } from '../create/provision-plan.ts'
import { lacks, rotationFacts } from './facts.ts'
import { balanceAt } from './movements.ts'
import type { RotationOptions } from './options.ts'
import { advanced, beginning, type RotationState } from './phases.ts'
import { problemsOf, RotationRefusal } from './refusals.ts'
import { type Rotated, reportOn } from './report.ts'
import { type RotationView, readRotation } from './view.ts'
import { RotationWork } from './work.ts'

/** Throws `RotationRefusal` with every reason why the rotation cannot begin or go on, and `ProvisionFailure` when the new sponsor cannot pay. */
export async function checkRotation(options: RotationOptions, view: RotationView): Promise<void> {
  refuseProblems(options, view)
  // In an emergency the old sponsor's XLM comes first.
  if (options.mode === 'emergency' || !lacks(view, options.servesUpto)) return
  await planProvision({ ...options, keys: options.to, count: view.wanted })
}

/**
 * Replaces a sponsor by another one, phase by phase. May be interrupted and called again at any moment, by
 * several processes at once: each begins with the first phase, which is over where store and ledger have what it is for. Throws what
 * `checkRotation` throws, `RetireFailure` and `SweepFailure` when the old sponsor cannot pay, `RpcError` when the network does not answer,
 * the signal's reason when it aborts.
 */
export async function rotate(options: RotationOptions): Promise<Rotated> {
  const first = await readRotation(options)
  await checkRotation(options, first)
  const start = await balanceAt(options.rpc, first.from.address, options.signal)
  const work = new RotationWork(options)
  const mode = options.mode === 'emergency' ? 'Emergency' : 'Planned'
  let state: RotationState = beginning({ mode, step: 1, now: options.clock.now() })
  for (let view = first; ; ) {
    options.signal.throwIfAborted()
    if (await work.advance(state, view)) {
      view = await readRotation(options)
      // Problems may have appeared meanwhile: a settlement that nobody can end, another store's mark.
      refuseProblems(options, view)
    }
    const next = advanced(state, rotationFacts(state, view, options, work.done))
    if (next.phase === 'Done' && !lacks(view, options.servesUpto)) {
      const { keptAuthority, sum } = work
      return { ...(await reportOn(options, { first, start, last: view }, sum)), keptAuthority }
    }
    if (next.step === state.step) {
      await work.waits(next)
      view = await readRotation(options)
      refuseProblems(options, view)
    }
    state = next
  }
}

function refuseProblems(options: RotationOptions, view: RotationView): void {
  const problems = problemsOf(view, options)
  if (problems.length > 0) throw new RotationRefusal(problems.join('; '))
}
