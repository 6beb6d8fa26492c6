import { variablePrefixes } from '../../../platform/core/caip2.ts'
import { stuckSentence } from '../held-channels.ts'
import { markedByAnother } from '../sponsor-mark.ts'
import { problemsOfNewSponsor } from './new-sponsor.ts'
import type { RotationOptions } from './options.ts'
import type { RotationView, SponsorView } from './view.ts'

/** The rotation cannot begin or go on; the message says why, and what to do. */
export class RotationRefusal extends Error {
  override readonly name = 'RotationRefusal'
}

type Given = Pick<RotationOptions, 'network' | 'mode'>
type Check = (view: RotationView, given: Given) => string | undefined

const isAnother: Check = ({ from, to }, { network }) =>
  from.address === to.address
    ? `the seeds of the old and of the new sponsor are the same, that of ${to.address}: ` +
      `give the old one in ${variablePrefixes[network]}SPONSOR_SECRET or with --from, and the new one with --to`
    : undefined

const isKnown: Check = ({ from, others }, { network }) => {
  if (from.stored.length > 0 || from.onLedger.size > 0) return undefined
  const seed = `the old sponsor ${from.address} has no channels on ${network}`
  const where = others.length > 0 ? `, and the database has those of ${others.join(' and ')}` : ''
  return `${seed}${where}: give the seed of the sponsor that is to be replaced`
}

/** A sponsor that another database or an operator manages would be changed by two at once. */
const isOurs: Check = ({ from, to, storeId }) => {
  for (const { address, mark, pool } of [from, to]) {
    if (pool !== undefined) {
      return (
        `the channels of sponsor ${address} are managed by the operator, as ChannelPool ${pool}: ` +
        'change the sponsor in the cluster'
      )
    }
    if (mark !== undefined && mark !== storeId) {
      return `${markedByAnother(address, { mark, own: storeId })}: set DATABASE_URL to the database of that store, or take another sponsor`
    }
  }
  return undefined
}

/** Beyond here there is no way back: a replica that serves the old sponsor again would have no channel. */
const staysMoved: Check = ({ from }, { mode }) =>
  mode === 'planned' && isDrained(from) && from.servedBy.length > 0
    ? `${from.servedBy.join(', ')} serves the old sponsor ${from.address} again, whose channels are being merged: ` +
      'give it the seed of the new one'
    : undefined

const isDrained = ({ stored }: SponsorView): boolean =>
  stored.some(({ state }) => state === 'draining') &&
  stored.every(({ state }) => state !== 'active')

const isResolvable: Check = ({ from }, { mode }) =>
  mode === 'planned' ? stuckSentence(from.stored) : undefined

const checks: readonly Check[] = [isKnown, isOurs, staysMoved, isResolvable]

/** Every problem, each in a sentence. */
export const problemsOf = (view: RotationView, given: Given): readonly string[] =>
  [
    isAnother(view, given) ?? [],
    problemsOfNewSponsor({ ...given, ...view.to, role: view.toIsAlso }),
    checks.flatMap((check) => check(view, given) ?? []),
  ].flat()
