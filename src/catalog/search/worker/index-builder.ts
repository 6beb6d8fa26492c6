import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { DocumentVectors } from '../index/document-vectors.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { SearchDocument } from '../search-document.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** Copying this many documents to the worker takes a few milliseconds. */
const PIECE = 500

export type IndexBuilder = Readonly<{
  /** Builds an index in the worker; builds run one after the other. Rejects when the worker fails or was closed. */
  build(documents: readonly SearchDocument[], dense?: DocumentVectors): Promise<SearchIndex>
  close(): Promise<void>
}>

/** Starts the thread that builds indexes. A thread that ended by itself is replaced at the next build. */
export function startIndexBuilder(): IndexBuilder {
  let worker: Worker | undefined
  let closed = false
  let queue: Promise<unknown> = Promise.resolve()

  async function build(
    documents: readonly SearchDocument[],
    dense: DocumentVectors | undefined,
  ): Promise<SearchIndex> {
    if (closed) throw new Error('The index builder is closed.')
    worker ??= startWorker(() => {
      worker = undefined
    })
    return buildIn(worker, documents, dense ?? null)
  }

  return {
    build(documents, dense) {
      const built = queue.then(() => build(documents, dense))
      queue = built.catch(() => undefined)
      return built
    },
    async close() {
      closed = true
      await worker?.terminate()
    },
  }
}

function startWorker(onEnd: () => void): Worker {
  const worker = new Worker(new URL('./index-worker.ts', import.meta.url))
  // Whoever waits for a build hears of the failure; without a listener it would end the process.
  worker.on('error', () => undefined)
  worker.once('exit', onEnd)
  return worker
}

async function buildIn(
  worker: Worker,
  documents: readonly SearchDocument[],
  dense: DocumentVectors | null,
): Promise<SearchIndex> {
  const send = (message: ToWorker): void => worker.postMessage(message)
  const answered = answerOf(worker)
  for (let at = 0; at < documents.length; at += PIECE) {
    send({ kind: 'documents', documents: documents.slice(at, at + PIECE) })
    await setImmediate()
  }
  send({ kind: 'build', dense })
  const answer = await answered
  if (answer.kind === 'failed')
    throw new Error(`The search index could not be built: ${answer.message}`)
  return { documents, ...answer.parts }
}

async function answerOf(worker: Worker): Promise<FromWorker> {
  const ended = new AbortController()
  const [answer] = await Promise.race([
    once(worker, 'message', { signal: ended.signal }),
    once(worker, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('The thread that builds the search index ended.')
    }),
  ]).finally(() => ended.abort())
  return answer as FromWorker
}
