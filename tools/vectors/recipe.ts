/** What decides how the vectors are learned. `validate.ts` measures a recipe; the values below measured best. */
export type Recipe = Readonly<{
  dimensions: number
  /** The most stems that get a vector. */
  maxStems: number
  epochs: number
  /** Pairs of one batch: each description of it is a negative for the questions of the others. */
  batch: number
  /** Divides the cosines: lower weighs the hardest negatives more. */
  temperature: number
  rate: number
  /** Rate of the weights of stems, as a share of `rate`. */
  weightRate: number
  /** Share of `rate` at the end. */
  lastRate: number
  /** Share of words that are removed at random from a question. */
  droppedFromQuestion: number
  droppedFromDescription: number
  /** Pairs of each source in one epoch. */
  perEpoch: Readonly<Record<SourceName, number>>
}>

export type SourceName =
  | 'definition'
  | 'synonym'
  | 'hypernym'
  | 'related'
  | 'example'
  | 'question'
  | 'neighbour'

export const RECIPE: Recipe = {
  dimensions: 128,
  maxStems: 54_000,
  epochs: 8,
  batch: 256,
  temperature: 0.06,
  rate: 0.01,
  weightRate: 0.3,
  lastRate: 0.02,
  droppedFromQuestion: 0.15,
  droppedFromDescription: 0.3,
  perEpoch: {
    definition: 45_000,
    synonym: 15_000,
    hypernym: 15_000,
    related: 25_000,
    example: 10_000,
    question: 24_000,
    neighbour: 8_000,
  },
}
