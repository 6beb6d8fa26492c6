/** What decides how the vectors are learned. `--validate` measures a recipe; these values measured best. */
export type Recipe = Readonly<{
  dimensions: number
  /** The most stems that get a vector. */
  maxStems: number
  /** How many times a question with its description counts beside a text of WordNet, 1 to 15. */
  timesOfPairs: number
  /** How often the matrix of meetings multiplies the vectors. */
  rounds: number
  /** Below 1: directions of much common meaning weigh less. */
  eigenvalueExponent: number
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
}>

export const RECIPE: Recipe = {
  dimensions: 128,
  maxStems: 54_000,
  timesOfPairs: 2,
  rounds: 4,
  eigenvalueExponent: 0.5,
  epochs: 7,
  batch: 256,
  temperature: 0.1,
  rate: 0.003,
  weightRate: 3,
  lastRate: 0.02,
  droppedFromQuestion: 0.15,
  droppedFromDescription: 0.3,
}
