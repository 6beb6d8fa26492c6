import type { Clock } from '../../platform/core/time/clock.ts'
import { reject } from '../declaration/rejection.ts'
import type { DeclarationValidator, Validation } from './declaration-validator.ts'
import { SchemaThread } from './schema-thread.ts'
import type { Job } from './worker-messages.ts'

export interface ValidatorOptions {
  readonly clock: Clock
  /** `DISCOVERY_ALLOW_LOOPBACK`. */
  readonly allowLoopback: boolean
  /** @default 2 */
  readonly threads?: number
  /** Validations that may wait for a thread; each waits for 250 ms at most for each one before it. @default 16 */
  readonly queueLength?: number
  /** Time limit of one validation, in milliseconds. @default 250 */
  readonly timeLimitMs?: number
  /**
   * How many times as long a thread rests as a validation took that was slow, where anyone can ask for one at no cost: it
   * bounds the share of the processor that they get. @default 0
   */
  readonly restFactor?: number
}

interface Asker {
  /** Has one thread at a time, and `MAX_WAITING_OF_ONE` places in the queue. */
  readonly name?: string
  /** Nobody waits any more: what has not begun is left out. */
  readonly signal?: AbortSignal
}

export interface Validator extends DeclarationValidator, AsyncDisposable {
  validate(schema: unknown, info: unknown, asker?: Asker): Promise<Validation>
}

/** Honest schemas take a tenth of it. */
const SLOW_MS = 50

/** An agent may buy several things at a time. */
const MAX_WAITING_OF_ONE = 4

interface Waiting {
  readonly job: Job
  readonly name: string | undefined
  readonly done: (validation: Validation) => void
}

const unavailable = reject(
  'bazaar_catalog_unavailable',
  'The catalog is busy; the next settlement of the resource lists it.',
)

/**
 * Validates declarations in threads of its own, each one at a time. The first use starts a thread; one that takes
 * too long or too much memory ends, and another one starts. Threads keep no process alive.
 */
export function openValidator({
  clock,
  allowLoopback,
  threads: size = 2,
  queueLength = 16,
  timeLimitMs = 250,
  restFactor = 0,
}: ValidatorOptions): Validator {
  const threads = Array.from({ length: size }, () => new SchemaThread({ clock, timeLimitMs }))
  const idle = [...threads]
  const queue: Waiting[] = []
  const served = new Set<string>()
  const closing = new AbortController()

  const start = () => {
    while (idle.length > 0) {
      const place = queue.findIndex(({ name }) => name === undefined || !served.has(name))
      const [next] = place < 0 ? [] : queue.splice(place, 1)
      const thread = next && idle.pop()
      if (!thread) return
      void run(thread, next)
    }
  }
  const run = async (thread: SchemaThread, { job, name, done }: Waiting): Promise<void> => {
    if (name !== undefined) served.add(name)
    const startedAt = clock.now()
    const validation = await thread.validate(job)
    const tookMs = clock.now() - startedAt
    if (name !== undefined) served.delete(name)
    done(validation)
    if (restFactor > 0 && tookMs > SLOW_MS) {
      await clock.sleep(restFactor * tookMs, closing.signal).catch(() => undefined)
    }
    idle.push(thread)
    start()
  }
  const leave = (waiting: Waiting) => {
    const place = queue.indexOf(waiting)
    if (place < 0) return
    queue.splice(place, 1)
    waiting.done(unavailable)
  }
  const isFull = (name: string | undefined) =>
    queue.length > queueLength ||
    (name !== undefined &&
      queue.filter((waiting) => waiting.name === name).length > MAX_WAITING_OF_ONE)
  return {
    allowLoopback,
    validate: (schema, info, { name, signal } = {}) =>
      new Promise((done) => {
        if (closing.signal.aborted || signal?.aborted) return done(unavailable)
        const job = { schema: JSON.stringify(schema), info: JSON.stringify(info) }
        const waiting = { job, name, done }
        queue.push(waiting)
        start()
        if (isFull(name)) leave(waiting)
        signal?.addEventListener('abort', () => leave(waiting), { once: true })
      }),
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      for (const { done } of queue.splice(0)) done(unavailable)
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
