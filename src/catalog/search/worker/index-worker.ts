// Builds search indexes in a thread of its own, so that no request waits for a build: index-builder.ts starts it.
import { parentPort } from 'node:worker_threads'
import { buildIndexParts, type IndexParts } from '../index/search-index.ts'
import type { SearchDocument } from '../search-document.ts'
import { loadWordVectors } from '../vectors/load.ts'
import type { FromWorker, ToWorker } from './messages.ts'

const words = await loadWordVectors()
let documents: SearchDocument[] = []

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'documents') {
    documents.push(...message.documents)
    return
  }
  const built = documents
  documents = []
  try {
    const parts = buildIndexParts(built, words, message.dense)
    answer({ kind: 'built', parts }, buffersOf(parts))
  } catch (error) {
    answer({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }, [])
  }
})

function answer(message: FromWorker, transferred: readonly ArrayBuffer[]): void {
  parentPort?.postMessage(message, transferred)
}

const buffersOf = ({ text, typos, termWords, vectors }: IndexParts): ArrayBuffer[] =>
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
    ...(termWords ? [termWords] : []),
    ...(vectors ? [vectors.rows] : []),
  ].map(({ buffer }) => buffer)
