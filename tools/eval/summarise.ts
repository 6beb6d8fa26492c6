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
export const interval = (values: readonly number[]): [number, number] => {
  const at = resampled(values.map((value) => [value, 1]))
  return [at(0.025), at(0.975)]
}

/**
 * The sum of the first numbers divided by the sum of the second, for samples of the pairs: answers a
 * quantile of these ratios.
 */
export function resampled(
  pairs: readonly (readonly [number, number])[],
  samples = 2000,
): (quantile: number) => number {
  let state = 1
  const next = (): number => {
    // Park and Miller's generator: the same figures on every run.
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  const ratios = Array.from({ length: samples }, () => {
    let part = 0
    let all = 0
    for (let i = 0; i < pairs.length; i += 1) {
      const [one, of] = pairs[next() % pairs.length] as readonly [number, number]
      part += one
      all += of
    }
    return part / all
  }).sort((a, b) => a - b)
  return (quantile) => ratios[Math.floor(quantile * (samples - 1))] ?? Number.NaN
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
