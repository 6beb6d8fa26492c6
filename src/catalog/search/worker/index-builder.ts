import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ListedItem, ListedText } from '../../items/listed-item.ts'
import { type SearchIndex, searchIndexOf } from '../index/search-index.ts'
import type { WordVectors } from '../vectors/format.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** Copying this many documents to the worker takes a few milliseconds. */
const PIECE = 500

/**
 * The heap of the thread, without the arrays that it makes. A build that needs more ends the thread, and the index before it serves on:
 * the process goes on answering.
 */
const MAX_HEAP_MB = 256

export type IndexBuilder = Readonly<{
  /**
   * Builds an index in the worker; builds run one after the other. A text that is the same object as in the build
   * before is not read again, so a caller that keeps unchanged texts makes the next build cheap. Rejects when the
   * worker fails or was closed.
   */
  build(documents: readonly ListedItem[]): Promise<SearchIndex>
  close(): Promise<void>
}>

/**
 * Starts the thread that builds indexes with these word vectors, whose memory it shares. A thread that ended by itself is replaced at
 * the next build.
 */
export function startIndexBuilder(words: WordVectors | null): IndexBuilder {
  let thread: IndexThread | undefined
  let closed = false
  let queue: Promise<unknown> = Promise.resolve()

  async function build(documents: readonly ListedItem[]): Promise<SearchIndex> {
    if (closed) throw new Error('The index builder is closed.')
    thread ??= startThread(words)
    try {
      return await buildIn(thread, documents)
    } catch (error) {
      // After a failure it is uncertain which documents the thread knows.
      await thread.worker.terminate()
      thread = undefined
      throw error
    }
  }

  return {
    build(documents) {
      const built = queue.then(() => build(documents))
      queue = built.catch(() => undefined)
      return built
    },
    async close() {
      closed = true
      await thread?.worker.terminate()
    },
  }
}

/** A worker, and the numbers of the texts of its last build. */
type IndexThread = {
  readonly worker: Worker
  numbers: ReadonlyMap<ListedText, number>
  nextNumber: number
}

function startThread(words: WordVectors | null): IndexThread {
  const worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
    workerData: words,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 8 },
  })
  // Callers that wait for a build get the failure; without a listener it would end the process.
  worker.on('error', () => undefined)
  return { worker, numbers: new Map(), nextNumber: 0 }
}

async function buildIn(
  thread: IndexThread,
  documents: readonly ListedItem[],
): Promise<SearchIndex> {
  const answered = answerOf(thread.worker)
  // Nobody waits for the answer yet; its failure must not end the process.
  answered.catch(() => undefined)
  const send = (message: ToWorker): void => thread.worker.postMessage(message)
  const numbers = new Map<ListedText, number>()
  for (let at = 0; at < documents.length; at += PIECE) {
    send({
      kind: 'documents',
      documents: documents.slice(at, at + PIECE).map(({ text }) => {
        const known = thread.numbers.get(text)
        const number = known ?? thread.nextNumber++
        numbers.set(text, number)
        return [number, known === undefined ? text : null]
      }),
    })
    await setImmediate()
  }
  thread.numbers = numbers
  send({ kind: 'build' })
  const answer = await answered
  if (answer.kind === 'failed')
    throw new Error(`The search index could not be built: ${answer.message}`)
  return searchIndexOf(documents, answer.parts, null)
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
