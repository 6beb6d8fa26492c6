/** Sets of changes that a payment gets in transit, and how many payments are sent at once. */
import type { PaymentDraft } from '../../../support/payments.ts'
import { type Change, isHarmless } from './change.ts'

export type ChangeSet = readonly Change[]

export const singly = (all: readonly Change[]): ChangeSet[] => all.map((change) => [change])

export const pairsOf = (all: readonly Change[]): ChangeSet[] =>
  all.flatMap((first, index) => all.slice(index + 1).map((second) => [first, second]))

/** One pair of this many is in the sample. A prime, so that each change meets others of every kind. */
const SAMPLED = 11

/** A fixed share of the pairs, in which each change is; and the pairs that are accepted only together. */
export const somePairsOf = (all: readonly Change[]): ChangeSet[] =>
  pairsOf(all).filter((pair) => {
    const [first, second] = pair.map((change) => all.indexOf(change))
    const isChosen = ((first ?? 0) + (second ?? 0)) % SAMPLED === 0
    return isChosen || (isHarmless(pair) && !pair.every(({ harmless }) => harmless))
  })

export const nameOf = (made: ChangeSet): string => made.map(({ name }) => name).join(' + ')

/** Equal for equal payments, since one change may undo another. */
export const fingerprint = ({ body, transaction, signatures }: PaymentDraft): string =>
  JSON.stringify([body, transaction.toXdr('base64'), signatures.length])

/** The problems that `tamper` describes, of all sets; so many payments are on their way at once. */
export async function problemsOf(
  sets: readonly ChangeSet[],
  atOnce: number,
  tamper: (made: ChangeSet) => Promise<string | undefined>,
): Promise<string[]> {
  const waiting = [...sets]
  const problems: string[] = []
  const work = async () => {
    for (let made = waiting.pop(); made; made = waiting.pop()) {
      const problem = await tamper(made)
      if (problem) problems.push(problem)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return problems
}
