import type { FacilitatorProcess } from '../facilitators.ts'
import { median } from '../statistics.ts'
import { type FloodResult, flood } from './flood.ts'

/** One row: the same requests to the service and to a bare route. */
export interface Comparison {
  readonly what: string
  readonly request: Buffer
  readonly connections: number
  /** Expected HTTP status of the service. */
  readonly status: number
  /** Target: minimum ratio of the service's rate to the bare route's. */
  readonly atLeast: number
}

/** Figures of one round. */
export interface Round {
  readonly perSecond: number
  /** Processor time of the server for each request; other work on the machine changes it little. */
  readonly cpuMicros: number
}

export interface Compared {
  readonly comparison: Comparison
  readonly ours: readonly Round[]
  readonly bare: readonly Round[]
}

const ROUNDS = 5
const REQUESTS_PER_ROUND = 8_000
/** Not counted. */
const WARM_UP_REQUESTS = 10_000

/** Alternates between both, so that the machine's state affects both. */
export async function compare(
  facilitators: { readonly ours: FacilitatorProcess; readonly bare: FacilitatorProcess },
  comparison: Comparison,
): Promise<Compared> {
  const { ours, bare } = facilitators
  await flood({ ...comparison, url: ours.url, requests: WARM_UP_REQUESTS })
  await flood({ ...comparison, url: bare.url, requests: WARM_UP_REQUESTS })
  const compared = { comparison, ours: [] as Round[], bare: [] as Round[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const loads = [
      async () => void compared.ours.push(await oneRound(ours, comparison)),
      async () => void compared.bare.push(await oneRound(bare, comparison)),
    ]
    for (const load of round % 2 === 0 ? loads : loads.toReversed()) await load()
  }
  return compared
}

async function oneRound(
  { url, program }: FacilitatorProcess,
  comparison: Comparison,
): Promise<Round> {
  const before = await program.readMeter()
  const result = await flood({ ...comparison, url, requests: REQUESTS_PER_ROUND })
  const after = await program.readMeter()
  assertAnswered(result, comparison)
  const cpuMicros = ((after.cpuMs - before.cpuMs) * 1_000) / REQUESTS_PER_ROUND
  return { perSecond: result.perSecond, cpuMicros }
}

/** Median of the rounds' ratios: both loads of a round ran under the same other load. */
export const ratioOf = ({ ours, bare }: Compared, of: (round: Round) => number): number =>
  median(ours.map((round, at) => of(round) / of(bare[at] ?? round)))

function assertAnswered({ statuses }: FloodResult, { what, status }: Comparison): void {
  if (statuses.size === 1 && statuses.has(status)) return
  throw new Error(`${what}: expected only ${status}, got ${JSON.stringify([...statuses])}`)
}
