import { keeperTypes, type Reference, referenceTo } from '../../crd/fields/cause.ts'
import type { Observation } from '../../runtime/objects/conditions.ts'

/**
 * `keeperTypes` come first. Ready and Degraded are written with Funded, never Funded alone: so no condition names one that has changed
 * since.
 */
const rankOf = ({ type }: Observation): number => {
  const rank = keeperTypes.indexOf(type)
  return rank < 0 ? keeperTypes.length : rank
}

/** The other wording of a condition, by its type; every text is of one type alone. */
const references: Readonly<Record<string, Reference>> = {
  Ready: { what: 'Nothing can be settled', which: 'why' },
  Degraded: { what: 'The spec is not met', which: 'why' },
  Stalled: { what: 'Nothing goes on before an administrator acts', which: 'what to do' },
}

const referenceOf = ({ type, status }: Observation): Reference => {
  if (type !== 'Progressing') return references[type] ?? { what: `About ${type}`, which: 'more' }
  return status === 'True'
    ? { what: 'A change is in progress', which: 'which' }
    : { what: 'No change is made', which: 'why' }
}

/**
 * Each sentence stands in one condition of an object: a person reads it once, and the others name the condition that has it.
 */
export function withoutRepeats<T extends Observation>(conditions: readonly T[]): readonly T[] {
  const said: Observation[] = []
  const messages = new Map<string, string>()
  for (const condition of conditions.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const keeper = said.find(({ message }) => sharesSentence(condition.message, message))
    if (!keeper) said.push(condition)
    else messages.set(condition.type, referenceTo(keeper.type, referenceOf(condition)))
  }
  return conditions.map((each) => ({ ...each, message: messages.get(each.type) ?? each.message }))
}

const sharesSentence = (one: string, other: string): boolean =>
  sentencesOf(one).some((sentence) => other.includes(sentence)) ||
  sentencesOf(other).some((sentence) => one.includes(sentence))

/** Without those that only introduce what another object says, as `ChannelPool testnet is not ready:` does. */
const sentencesOf = (message: string): readonly string[] =>
  message.split(/(?<=[.!?:])\s+(?=[A-Z])/).filter((part) => part !== '' && !part.endsWith(':'))
