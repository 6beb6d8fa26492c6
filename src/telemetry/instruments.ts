import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Exposition } from './metrics.ts'
import { withOwnNames } from './own-names.ts'

/** One metric of another module's table. */
interface InstrumentDeclaration {
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly buckets?: readonly number[]
}

type Labels = Readonly<Record<string, string>>

/** Metrics of a process that has its own table, such as the operator. */
export interface Instruments {
  counter(declaration: InstrumentDeclaration): { inc(labels: Labels, by?: number): void }
  gauge(declaration: InstrumentDeclaration): {
    set(labels: Labels, value: number): void
    remove(labels: Labels): void
  }
  histogram(declaration: InstrumentDeclaration): { observe(labels: Labels, value: number): void }
  /** Calls `sample` before each exposition. */
  onScrape(sample: () => void): void
  expose(): Promise<Exposition>
}

/** A registry with the metrics of the Node process and those that the caller declares. */
export function createInstruments(): Instruments {
  const register = new Registry()
  const samplers: (() => void)[] = []
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  const settings = ({ name, labels, help }: InstrumentDeclaration) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [register],
  })
  return {
    counter: (declaration) => new Counter(settings(declaration)),
    gauge: (declaration) => new Gauge(settings(declaration)),
    histogram: (declaration) =>
      new Histogram({
        ...settings(declaration),
        ...(declaration.buckets && { buckets: [...declaration.buckets] }),
      }),
    onScrape: (sample) => {
      samplers.push(sample)
    },
    expose: async () => {
      for (const sample of samplers) sample()
      const texts = await Promise.all([register.metrics(), ofProcess.metrics()])
      return { contentType: register.contentType, text: texts[0] + withOwnNames(texts[1]) }
    },
  }
}
