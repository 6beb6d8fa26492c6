// Measures the catalog's search on the judged queries, with each part of it turned off in turn: docs/search.md. Run: make eval
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ListedItem } from '../../src/catalog/items/listed-item.ts'
import { loadWordVectors } from '../../src/catalog/search/vectors/load.ts'
import { ABLATIONS, FULL } from './ablations.ts'
import { declaredItems } from './declared/items.ts'
import { judgedQuestions } from './declared/questions.ts'
import { readSeeds } from './declared/seed.ts'
import { documentOf, type Query, readListings, readQueries, SPLITS } from './judged-set.ts'
import { type Measured, measure } from './measure.ts'
import { interval, summarise } from './summarise.ts'

const { values } = parseArgs({
  options: { 'write-baseline': { type: 'boolean' }, vectors: { type: 'string' } },
})
const words = await loadWordVectors(values.vectors)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** A catalog with judged questions. */
type JudgedSet = Readonly<{ documents: readonly ListedItem[]; queries: readonly Query[] }>

const declared = await declaredItems(readSeeds())
const SETS: Readonly<Record<'flat' | 'declared', JudgedSet>> = {
  flat: { documents: readListings().map(documentOf), queries: readQueries() },
  declared: { documents: declared.items, queries: judgedQuestions(declared) },
}

if (words === null) say('No word vectors: every row compares words only.\n')
for (const [name, { documents, queries }] of Object.entries(SETS)) {
  say(
    `\n# ${name}: ${documents.length} listings, ${queries.length} queries; all of it is synthetic`,
  )
  for (const split of SPLITS)
    report(
      split,
      documents,
      queries.filter((query) => query.split === split),
    )
}

function report(split: string, documents: readonly ListedItem[], asked: readonly Query[]): void {
  say(`\n## ${split}\n`)
  say('| Search | nDCG@10 | Recall@20 | MRR | wrongly empty | rightly empty |')
  say('| - | - | - | - | - | - |')
  for (const { name, useVectors, settings } of ABLATIONS)
    say(row(name, measure(documents, asked, useVectors ? words : null, settings)))
  say('\n| Class | nDCG@10 | Recall@20 | MRR | empty | low confidence |')
  say('| - | - | - | - | - | - |')
  const full = measure(documents, asked, words, FULL.settings)
  for (const [name, measured] of Map.groupBy(full, ({ query }) => query.class))
    say(classRow(name, measured))
}

function row(name: string, measured: readonly Measured[]): string {
  const { queries: count, abstainedWrongly, unanswerable, abstainedRightly } = summarise(measured)
  return `| ${name} | ${figures(measured)} | ${abstainedWrongly} of ${count} | ${abstainedRightly} of ${unanswerable} |`
}

function classRow(name: string, measured: readonly Measured[]): string {
  const empty = measured.filter(({ abstained }) => abstained).length
  const low = measured.filter(({ lowConfidence }) => lowConfidence).length
  const count = measured.length
  return `| ${name} | ${name === 'unanswerable' ? '– | – | –' : figures(measured)} | ${empty} of ${count} | ${low} of ${count} |`
}

function figures(measured: readonly Measured[]): string {
  const { ndcg, recall, mrr } = summarise(measured)
  const answerable = measured.filter(({ query }) => query.class !== 'unanswerable')
  const [low, high] = interval(answerable.map((one) => one.ndcg))
  return `${show(ndcg)} [${show(low)}, ${show(high)}] | ${show(recall)} | ${show(mrr)}`
}

function show(value: number): string {
  return value.toFixed(3)
}

if (values['write-baseline']) {
  const ndcgOf = ({ documents, queries }: JudgedSet): number =>
    Number(summarise(measure(documents, queries, words, FULL.settings)).ndcg.toFixed(4))
  const baseline = { flat: ndcgOf(SETS.flat), declared: ndcgOf(SETS.declared) }
  writeFileSync(
    join(import.meta.dirname, 'baseline.json'),
    `${JSON.stringify(baseline, null, 2)}\n`,
  )
  say(`\nBaseline: ${JSON.stringify(baseline)}`)
}
