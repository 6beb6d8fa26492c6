import type { Sample } from '../load.ts'
import { quantile } from '../statistics.ts'
import { addressesOf, openWallets, payWith } from './attacks.ts'
import type { Pay } from './load.ts'
import type { HostileWorld } from './world.ts'

export interface HonestResult {
  readonly requests: number
  /** Milliseconds, of those that settled. */
  readonly p95: number
  readonly refusals: ReadonlyMap<string, number>
}

const PAYERS = 25
const HONEST_USDC = 10_000_000_000n

/** Payments of many payers to many sellers in turn. */
export async function openHonest(world: HostileWorld): Promise<Pay> {
  const [payers, sellers] = await Promise.all([
    openWallets(world, PAYERS, HONEST_USDC),
    openWallets(world, PAYERS, 1n),
  ])
  const payTo = addressesOf(sellers)
  return (index) =>
    payWith(world, { payer: payers[index % PAYERS]!, payTo: payTo[index % PAYERS]! })
}

export function honestResult(samples: readonly Sample[]): HonestResult {
  const settled = samples.filter(({ failure }) => failure === undefined)
  const refused = samples.filter(({ failure }) => failure !== undefined)
  const p95 = quantile(
    settled.map(({ ms }) => ms),
    0.95,
  )
  return { requests: samples.length, p95, refusals: countReasons(refused) }
}

export const countReasons = (samples: readonly Sample[]): Map<string, number> =>
  new Map(
    [...Map.groupBy(samples, ({ failure = 'settled' }) => failure)].map(([reason, all]) => [
      reason,
      all.length,
    ]),
  )
