import type { Measured } from './measure.ts'

/** Means over the answerable queries, and how often the search abstained. */
export type Summary = Readonly<{
  queries: number
  ndcg: number
  recall: number
  mrr: number
  /** Answerable queries that got no answer. */
  abstainedWrongly: number
  /** Queries without a relevant listing, and how many of them got no answer. */
  unanswerable: number
  abstainedRightly: number
}>

export function summarise(measured: readonly Measured[]): Summary {
  const answerable = measured.filter(({ query }) => query.class !== 'unanswerable')
  const unanswerable = measured.filter(({ query }) => query.class === 'unanswerable')
  return {
    queries: answerable.length,
    ndcg: mean(answerable.map(({ ndcg }) => ndcg)),
    recall: mean(answerable.map(({ recall }) => recall)),
    mrr: mean(answerable.map(({ reciprocalRank }) => reciprocalRank)),
    abstainedWrongly: answerable.filter(({ abstained }) => abstained).length,
    unanswerable: unanswerable.length,
    abstainedRightly: unanswerable.filter(({ abstained }) => abstained).length,
  }
}

/** Bounds between which 95 % of the means of resampled values lie (percentile bootstrap, always the same samples). */
export function interval(values: readonly number[], samples = 2000): [number, number] {
  let state = 1
  const next = (): number => {
    // Park and Miller's generator: the same figures on every run.
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  const means = Array.from({ length: samples }, () => {
    let sum = 0
    for (let i = 0; i < values.length; i += 1) sum += values[next() % values.length] as number
    return sum / values.length
  }).sort((a, b) => a - b)
  const at = (share: number): number => means[Math.floor(share * (samples - 1))] ?? Number.NaN
  return [at(0.025), at(0.975)]
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
