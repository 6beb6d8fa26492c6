import { formatXlm } from '../../../platform/core/amounts/stroops.ts'
import { heldOf, holdersSentence } from '../held-channels.ts'
import type { RotationStep } from './next-step.ts'
import type { SponsorView } from './view.ts'

type Sending = Extract<RotationStep, { do: 'save' | 'sweep' }>
type Moving = Extract<RotationStep, { do: 'move' }>

/** @param to address of the new sponsor */
export function sendingSentence(step: Sending, to: string): string {
  if (step.do === 'save') {
    return `sends ${formatXlm(step.amount)} of the old sponsor to ${to} first`
  }
  return step.how === 'merge'
    ? `merges the old sponsor into ${to}`
    : `sends the ${formatXlm(step.amount)} that are left to ${to}`
}

export const movingSentence = ({ stillOld }: Moving): string =>
  stillOld.length > 0
    ? `waits until ${stillOld.join(', ')} no longer serves the old sponsor: restart one replica after the other with the new seed`
    : 'waits until a replica serves the new sponsor: start one with the new seed'

export function drainingSentence({ stored }: Pick<SponsorView, 'stored'>): string {
  // Those of a settlement that waits for an administrator are not waited for.
  const holders = holdersSentence(heldOf(stored.filter(({ heldBy }) => heldBy === undefined)))
  return holders === undefined
    ? 'stops leasing the channels of the old sponsor'
    : `waits for the channels of the old sponsor: ${holders}`
}
