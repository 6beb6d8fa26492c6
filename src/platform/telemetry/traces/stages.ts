import { logFields } from '../logs/log-scope.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { onSettled } from './on-settled.ts'
import { stopwatch } from './stopwatch.ts'
import type { Tracer } from './tracer.ts'

/** The parts of a payment that are timed, in their order. */
export const stages = [
  'check',
  'signature',
  'simulate',
  'claim',
  'lease',
  'sign',
  'record',
  'send',
  'confirm',
  'finish',
] as const
export type Stage = (typeof stages)[number]

export interface StagesOptions {
  readonly network: string
  readonly metrics: Pick<Metrics, 'stageDuration'>
  readonly tracer: Tracer
}

/** Times the stages of one network's payments: a sample of the histogram and a span each. */
export class Stages {
  readonly #options: StagesOptions

  constructor(options: StagesOptions) {
    this.#options = options
  }

  /** Runs the work and returns or throws what it does. */
  run<T>(stage: Stage, work: () => T): T {
    const { network, metrics, tracer } = this.#options
    const seconds = stopwatch()
    const { settlement } = logFields()
    const attributes = { network, ...(settlement !== undefined && { settlement }) }
    return onSettled(
      () => tracer.span(stage, attributes, work),
      () => metrics.stageDuration.observe({ network, stage }, seconds()),
    )
  }
}
