import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../platform/core/time/clock.ts'
import { reject } from '../declaration/rejection.ts'
import type { Validation } from './declaration-validator.ts'
import type { Answer, Job } from './worker-messages.ts'

/** A schema of 32 KiB compiles within a few MiB; the library itself takes about 20. */
const resourceLimits = {
  maxOldGenerationSizeMb: 64,
  maxYoungGenerationSizeMb: 8,
  codeRangeSizeMb: 16,
  stackSizeMb: 4,
}

/** Loading the library takes a tenth of a second; a machine under load takes many times as long. */
const START_LIMIT_MS = 10_000

interface Current {
  readonly job: Job
  readonly done: (validation: Validation) => void
  timer: AbortController
}

export interface SchemaThreadOptions {
  readonly clock: Clock
  readonly timeLimitMs: number
  /** Throws when the system has no thread left. @default one that runs validate-in-worker.ts */
  readonly startWorker?: () => Worker
}

/** One thread that validates one declaration at a time. Starts when it is first needed, and again after it ended. */
export class SchemaThread {
  readonly #clock: Clock
  readonly #timeLimitMs: number
  readonly #startWorker: () => Worker
  #worker: Worker | undefined
  #isReady = false
  #current: Current | undefined
  #isClosed = false

  constructor({ clock, timeLimitMs, startWorker = startSchemaWorker }: SchemaThreadOptions) {
    this.#clock = clock
    this.#timeLimitMs = timeLimitMs
    this.#startWorker = startWorker
  }

  /** Never rejects. Not called before the last call has resolved. */
  validate(job: Job): Promise<Validation> {
    return new Promise((done) => {
      if (this.#isClosed) return done(stopped)
      this.#current = { job, done, timer: new AbortController() }
      if (this.#worker && this.#isReady) {
        this.#post(this.#worker, job)
      } else {
        this.#worker ??= this.#start()
        if (this.#worker) this.#limit(START_LIMIT_MS, stopped)
        else this.#finish(stopped)
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end(stopped)
  }

  /** Undefined when no thread can start; the next validation tries again. */
  #start(): Worker | undefined {
    try {
      const worker = this.#startWorker()
      worker.on('message', (answer: Answer) => this.#onAnswer(worker, answer))
      worker.on('error', (error) => this.#onEnd(worker, validationOf(error)))
      worker.on('exit', () => this.#onEnd(worker, stopped))
      // `unref` follows the listeners: one for messages makes the process wait for the thread again.
      worker.unref()
      return worker
    } catch {
      return undefined
    }
  }

  #post(worker: Worker, job: Job): void {
    this.#limit(this.#timeLimitMs, tooSlow(this.#timeLimitMs))
    worker.postMessage(job)
  }

  #onAnswer(worker: Worker, answer: Answer): void {
    if (worker !== this.#worker) return
    if (answer.kind === 'ready') this.#onReady(worker)
    else this.#finish(toValidation(answer))
  }

  #onReady(worker: Worker): void {
    this.#isReady = true
    const current = this.#current
    if (!current) return
    current.timer.abort()
    current.timer = new AbortController()
    this.#post(worker, current.job)
  }

  #onEnd(worker: Worker, validation: Validation): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    this.#isReady = false
    this.#finish(validation)
  }

  /** Ends the thread when the current validation takes longer. */
  #limit(ms: number, late: Validation): void {
    const signal = this.#current?.timer.signal
    this.#clock.sleep(ms, signal).then(
      () => {
        const ended = this.#end(late)
        // The next declaration must not wait for a thread because of this one.
        if (late !== stopped && !this.#isClosed) this.#worker = this.#start()
        return ended
      },
      () => undefined,
    )
  }

  async #end(validation: Validation): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#isReady = false
    const ended = worker?.terminate()
    this.#finish(validation)
    await ended
  }

  #finish(validation: Validation): void {
    const current = this.#current
    this.#current = undefined
    current?.timer.abort()
    current?.done(validation)
  }
}

const startSchemaWorker = (): Worker =>
  new Worker(new URL('./validate-in-worker.ts', import.meta.url), {
    name: 'schema validation',
    resourceLimits,
    // Nothing of the process that a schema could reach if it ever ran code: no arguments, and no variables but the folder of
    // compiled code, with which the library takes 10 MB less.
    env: compiledFolder(),
    argv: [],
    execArgv: [],
    stdin: false,
  })

/** Node keeps the compiled code of each of its versions in a folder of its own below the named one. */
function compiledFolder(): Readonly<Record<string, string>> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

const stopped = reject(
  'bazaar_catalog_unavailable',
  'The catalog cannot validate at present; the next settlement of the resource lists it.',
)

const tooSlow = (ms: number): Validation =>
  reject('bazaar_schema_timeout', `The schema takes longer than ${ms} ms to validate the info.`)

const tooLarge = reject(
  'bazaar_schema_timeout',
  'The schema takes too much memory to validate the info.',
)

const validationOf = (error: unknown): Validation =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? tooLarge
    : stopped

function toValidation(answer: Answer): Validation {
  switch (answer.kind) {
    case 'schema_invalid': {
      const reason = `The schema of the declaration is no JSON Schema 2020-12: ${answer.problem}.`
      return reject('bazaar_schema_invalid', reason)
    }
    case 'info_invalid':
      return reject(
        'bazaar_info_invalid',
        `The info of the declaration does not keep its own schema: ${answer.problem}.`,
      )
    default:
      return { ok: true }
  }
}
