// Builds search indexes in a thread of its own, so that no request waits for a build: index-builder.ts starts it.
import { parentPort, workerData } from 'node:worker_threads'
import { type AnalysedDocument, analyseDocument } from '../index/analyse-document.ts'
import { buildIndexParts, type IndexParts } from '../index/search-index.ts'
import type { WordVectors } from '../vectors/format.ts'
import type { FromWorker, ToWorker } from './messages.ts'

const words: WordVectors | null = workerData
/** Documents of the last build by their numbers, and those of the next one, in order. */
let last: ReadonlyMap<number, AnalysedDocument> = new Map()
let next: [number: number, document: AnalysedDocument][] = []

parentPort?.on('message', (message: ToWorker) => {
  try {
    if (message.kind === 'build') build()
    else for (const [number, text] of message.documents) next.push([number, analysed(number, text)])
  } catch (error) {
    answer({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }, [])
  }
})

type Sent = Extract<ToWorker, { kind: 'documents' }>['documents'][number][1]

function analysed(number: number, text: Sent): AnalysedDocument {
  const known = text === null ? last.get(number) : analyseDocument(text, words)
  if (known === undefined) throw new Error(`The worker has no document ${number}.`)
  return known
}

function build(): void {
  const documents = next
  next = []
  last = new Map(documents)
  const parts = buildIndexParts(
    documents.map(([, document]) => document),
    words,
  )
  answer({ kind: 'built', parts }, buffersOf(parts))
}

function answer(message: FromWorker, transferred: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, transferred)
}

const buffersOf = ({ text, typos, penalties, termWords, vectors }: IndexParts): ArrayBuffer[] =>
  [
    text.terms.letters,
    text.terms.starts,
    text.terms.slots,
    text.starts,
    text.documents,
    text.scores,
    text.rarity,
    text.termStarts,
    text.documentTerms,
    typos.terms,
    typos.masks,
    typos.lengthStarts,
    penalties,
    ...(termWords ? [termWords] : []),
    ...(vectors ? [vectors.rows] : []),
  ].map(({ buffer }) => buffer)
