import { join } from 'node:path'
import { type CatalogFilters, constraintsOf } from '../../../src/catalog/filters/catalog-filters.ts'
import {
  bothOf,
  type Constraints,
  NO_CONSTRAINTS,
} from '../../../src/catalog/filters/constraints.ts'
import { filterOf } from '../../../src/catalog/filters/filter.ts'
import type { Query } from '../judged-set.ts'
import type { DeclaredItems } from './items.ts'
import { readLines } from './seed.ts'

/** What a question demands of price, network and kind, for programs: what the search reads from its words is under test. */
type Where = CatalogFilters & { everyNetwork?: true; notNetwork?: string; notType?: string }

/** A question, a line of `questions.jsonl`. */
type Asked = Omit<Query, 'relevant' | 'why'> & { where?: Where }

type Grades = { id: string; grades: Record<string, number> }

const file = (name: string): string => join(import.meta.dirname, name)
const gradesOf = (name: string): ReadonlyMap<string, Record<string, number>> =>
  new Map(readLines<Grades>(file(name)).map(({ id, grades }) => [id, grades]))

const readAsked = (): Asked[] => readLines<Asked>(file('questions.jsonl'))

/** The grades of both passes, by question and then by listing. */
export const readPasses = () => ({
  first: gradesOf('grades-first.jsonl'),
  second: gradesOf('grades-second.jsonl'),
})

/**
 * The questions with the grades of both passes together: their mean, rounded down. What does not meet the question's demands has none, and
 * a question that nothing meets is unanswerable.
 */
export function judgedQuestions({ itemOfSeed }: DeclaredItems): Query[] {
  const { first, second } = readPasses()
  return readAsked().map(({ where = {}, ...asked }) => {
    const { matches } = filterOf(constraintsOfWhere(where))
    const [one = {}, other = {}] = [first.get(asked.id), second.get(asked.id)]
    const relevant: Record<string, number> = {}
    for (const id of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const item = itemOfSeed.get(id)
      if (item === undefined) throw new Error(`${asked.id} grades ${id}, which is not listed`)
      const grade = Math.floor(((one[id] ?? 0) + (other[id] ?? 0)) / 2)
      if (grade > 0 && matches(item.listings))
        relevant[item.key] = Math.max(grade, relevant[item.key] ?? 0)
    }
    return { ...asked, relevant }
  })
}

const constraintsOfWhere = ({
  everyNetwork,
  notNetwork,
  notType,
  ...filters
}: Where): Constraints =>
  bothOf(constraintsOf(filters), {
    ...NO_CONSTRAINTS,
    everyNetwork: everyNetwork ? ['stellar:testnet', 'stellar:pubnet'] : [],
    exceptNetworks: notNetwork === undefined ? [] : [notNetwork],
    exceptTypes: notType === undefined ? [] : [notType],
  })
