import { median } from '../statistics.ts'
import { type FloodResult, flood } from './flood.ts'

/** One row: the same requests to the service and to a bare route. */
export interface Comparison {
  readonly what: string
  readonly request: Buffer
  readonly connections: number
  /** What the service is to answer. */
  readonly status: number
  /** The least share of the bare route's rate that is good enough. */
  readonly atLeast: number
}

export interface Compared {
  readonly comparison: Comparison
  /** Requests a second, round by round. */
  readonly ours: readonly number[]
  readonly bare: readonly number[]
}

const ROUNDS = 5
const REQUESTS_PER_ROUND = 8_000
/** Code that has not run yet is slow once. */
const WARM_UP_REQUESTS = 10_000

/** Either one in turn, so that both see the same machine. */
export async function compare(
  urls: { readonly ours: string; readonly bare: string },
  comparison: Comparison,
): Promise<Compared> {
  const load = (url: string, requests: number) => flood({ ...comparison, url, requests })
  await load(urls.ours, WARM_UP_REQUESTS)
  await load(urls.bare, WARM_UP_REQUESTS)
  const compared = { comparison, ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = [
      async () => {
        const result = await load(urls.ours, REQUESTS_PER_ROUND)
        assertAnswered(result, comparison)
        compared.ours.push(result.perSecond)
      },
      async () => {
        compared.bare.push((await load(urls.bare, REQUESTS_PER_ROUND)).perSecond)
      },
    ]
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  return compared
}

/** Of the rounds' ratios the middle one: the two of a round saw the same neighbours. */
export const ratioOf = ({ ours, bare }: Compared): number =>
  median(ours.map((rate, round) => rate / (bare[round] ?? Number.NaN)))

function assertAnswered({ statuses }: FloodResult, { what, status }: Comparison): void {
  if (statuses.size === 1 && statuses.has(status)) return
  throw new Error(`${what}: expected ${status} alone, got ${JSON.stringify([...statuses])}`)
}
