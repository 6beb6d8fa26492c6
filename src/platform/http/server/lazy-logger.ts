import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from '../../telemetry/logs/logger.ts'

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'

const silent = () => undefined

/**
 * A child logger that is created with its first line: most requests log nothing, and creating one costs
 * as much as answering a probe.
 */
export class LazyLogger implements FastifyBaseLogger {
  readonly #parent: Logger
  readonly #bindings: Readonly<Record<string, unknown>>
  #child: Logger | undefined

  constructor(parent: Logger, bindings: Readonly<Record<string, unknown>>) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get level(): string {
    return this.#parent.level
  }

  get msgPrefix(): string | undefined {
    return this.#parent.msgPrefix
  }

  get trace() {
    return this.#at('trace')
  }

  get debug() {
    return this.#at('debug')
  }

  get info() {
    return this.#at('info')
  }

  get warn() {
    return this.#at('warn')
  }

  get error() {
    return this.#at('error')
  }

  get fatal() {
    return this.#at('fatal')
  }

  readonly silent = silent

  readonly child: FastifyBaseLogger['child'] = (bindings, options) =>
    options === undefined
      ? new LazyLogger(this.#parent, { ...this.#bindings, ...bindings })
      : this.#made().child(bindings, options)

  /** Fastify reads every method of every logger, so reading one must not create the child. */
  #at(level: Level): Logger[Level] {
    if (!this.#parent.isLevelEnabled(level)) return silent
    return (...line: [unknown]) => {
      const child = this.#made()
      Reflect.apply(child[level], child, line)
    }
  }

  #made(): Logger {
    this.#child ??= this.#parent.child(this.#bindings)
    return this.#child
  }
}
