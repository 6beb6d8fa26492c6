import type { Clock } from '../../core/clock.ts'
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
  /** For one validation. @default 250 */
  readonly timeLimitMs?: number
}

interface Waiting {
  readonly job: Job
  readonly done: (validation: Validation) => void
}

const unavailable = reject(
  'bazaar_catalog_unavailable',
  'The catalog is busy; the next settlement of the resource lists it.',
)

/**
 * Validates declarations in threads of its own, each one at a time. The first use starts a thread; one that takes
 * too long or too much memory ends, and the next use starts another. Threads keep no process alive.
 */
export function openValidator({
  clock,
  allowLoopback,
  threads: size = 2,
  queueLength = 16,
  timeLimitMs = 250,
}: ValidatorOptions): DeclarationValidator & AsyncDisposable {
  const threads = Array.from({ length: size }, () => new SchemaThread({ clock, timeLimitMs }))
  const idle = [...threads]
  const queue: Waiting[] = []
  let isClosed = false

  const run = async (thread: SchemaThread, { job, done }: Waiting): Promise<void> => {
    done(await thread.validate(job))
    const next = queue.shift()
    if (next) return run(thread, next)
    idle.push(thread)
  }
  return {
    allowLoopback,
    validate: (schema, info) =>
      new Promise((done) => {
        const waiting = {
          job: { schema: JSON.stringify(schema), info: JSON.stringify(info) },
          done,
        }
        const thread = idle.pop()
        if (isClosed) done(unavailable)
        else if (thread) void run(thread, waiting)
        else if (queue.length < queueLength) queue.push(waiting)
        else done(unavailable)
      }),
    [Symbol.asyncDispose]: async () => {
      isClosed = true
      for (const { done } of queue.splice(0)) done(unavailable)
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}
