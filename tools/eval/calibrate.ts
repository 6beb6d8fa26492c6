// Shows below which thresholds the search may answer nothing, on the tuning half alone: docs/search.md. Run: node tools/eval/calibrate.ts
import type { CatalogFilters } from '../../src/catalog/filters/catalog-filters.ts'
import { filterOf } from '../../src/catalog/filters/filter.ts'
import { buildSearchIndex, type SearchIndex } from '../../src/catalog/search/index/search-index.ts'
import type { QuestionForm } from '../../src/catalog/search/query/query-terms.ts'
import { RANKING, type RankingSettings } from '../../src/catalog/search/rank/settings.ts'
import { searchCatalog } from '../../src/catalog/search/search.ts'
import { loadWordVectors } from '../../src/catalog/search/vectors/load.ts'
import { documentOf, type Query, readListings, readQueries } from './judged-set.ts'
import { resampled } from './summarise.ts'

/** Put on every query in turn: where a judged listing is left, an empty answer is wrong, and otherwise it is right. */
const FILTERS: readonly CatalogFilters[] = [
  { network: 'stellar:testnet' },
  { network: 'stellar:pubnet' },
  { type: 'mcp' },
  { type: 'http' },
  { asset: 'XLM' },
  { asset: 'EURC' },
  { asset: 'USDC' },
  { scheme: 'upto' },
  { maxPrice: '0.01' },
  { maxPrice: '0.001' },
]

const TENTHS = 10

const words = await loadWordVectors()
const listings = readListings()
const documents = new Map(listings.map((listing) => [listing.id, documentOf(listing)]))
const queries = readQueries().filter(({ split }) => split === 'tune')
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** A catalog and the constraints put on a query of it. */
type Case = Readonly<{ index: SearchIndex; filters: CatalogFilters }>

/** Counts for one query over all cases: searches and empty answers, where something relevant is left and where nothing is. */
type Counts = Readonly<{ answerable: number; wrong: number; unanswerable: number; right: number }>

const whole = buildSearchIndex([...documents.values()], words)
const tenths = Array.from({ length: TENTHS }, (_, tenth) => {
  const part = [...documents.values()].filter((_document, at) => at % TENTHS === tenth)
  return { index: buildSearchIndex(part, words), filters: {} }
})

function ask(
  { query, relevant }: Query,
  cases: readonly Case[],
  settings: RankingSettings,
): Counts {
  const counts = { answerable: 0, wrong: 0, unanswerable: 0, right: 0 }
  for (const { index, filters } of cases) {
    const { ranked, constraints } = searchCatalog(index, words, { query, filters }, settings)
    const { matches } = filterOf(constraints)
    const isAnswerable = index.documents.some(
      ({ key, listings }) => key in relevant && matches(listings),
    )
    counts[isAnswerable ? 'answerable' : 'unanswerable'] += 1
    if (ranked.length === 0) counts[isAnswerable ? 'wrong' : 'right'] += 1
  }
  return counts
}

function show(
  title: string,
  cases: readonly Case[],
  name: QuestionForm | 'leastKept',
  thresholds: readonly number[],
): void {
  say(`\n## ${title}\n`)
  say(
    `| ${name} | wrongly empty | of it by the threshold | in nine of ten samples at most | rightly empty |`,
  )
  say('| - | - | - | - | - |')
  const countsOf = (threshold: number): readonly Counts[] => {
    const noAnswerBelow = {
      words: 0,
      sentence: 0,
      ...(name !== 'leastKept' && { [name]: threshold }),
    }
    const leastKept = name === 'leastKept' ? threshold : 0
    const settings = { ...RANKING, noAnswerBelow, leastKept }
    return queries.map((query) => ask(query, cases, settings))
  }
  // No document that meets the constraints scores at all: empty whatever the threshold.
  const before = countsOf(0)
  for (const threshold of thresholds) {
    const counts = countsOf(threshold)
    const sum = (key: keyof Counts): number => counts.reduce((all, one) => all + one[key], 0)
    // A query is drawn with all its cases, since they depend on one another.
    const added = counts.map(({ wrong, answerable }, at): [number, number] => [
      wrong - (before[at]?.wrong ?? 0),
      answerable,
    ])
    const byThreshold = added.reduce((all, [wrong]) => all + wrong, 0)
    const cells = [
      threshold,
      `${sum('wrong')} of ${sum('answerable')}`,
      percent(byThreshold / sum('answerable')),
      percent(resampled(added)(0.9)),
      `${sum('right')} of ${sum('unanswerable')}`,
    ]
    say(`| ${cells.join(' | ')} |`)
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

const BELOW: Readonly<Record<QuestionForm, readonly number[]>> = {
  words: [0, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96, 1, 1.1],
  sentence: [0, 0.5, 0.55, 0.6, 0.62, 0.65, 0.7, 0.8],
}
for (const form of ['words', 'sentence'] as const) {
  show('Whole catalog', [{ index: whole, filters: {} }], form, BELOW[form])
  show('Tenths of the catalog', tenths, form, BELOW[form])
}
const constrained = FILTERS.map((filters) => ({ index: whole, filters }))
show('A constraint more', constrained, 'leastKept', [0, 0.5, 0.55, 0.58, 0.59, 0.6, 0.62, 0.65])
