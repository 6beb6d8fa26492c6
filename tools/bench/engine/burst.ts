import type { FacilitatorProcess } from '../facilitators.ts'
import { runLoad, type Sample } from '../load.ts'
import type { MeterReading } from '../meter.ts'
import { type Transfer, transfersAfter } from './transfers.ts'
import type { EngineWorld } from './world.ts'

/** Settlements that start right after a ledger closed, `inFlight` of them at a time. */
export interface Burst {
  readonly settlements: number
  readonly inFlight: number
}

export interface BurstResult extends Burst {
  readonly samples: readonly Sample[]
  /** All transfers on the ledger since then. */
  readonly transfers: readonly Transfer[]
  /** The first ledger that could include one of them. */
  readonly firstLedger: number
  /** One for each facilitator. */
  readonly meters: readonly MeterReading[]
}

/** A settlement without an answer by then counts as failed; stock waits up to five minutes for one. */
const TIMEOUT_MS = 60_000

/** Splits the load evenly over the facilitators, and reads the resulting transfers from the ledger. */
export async function runBurst(
  world: EngineWorld,
  facilitators: readonly FacilitatorProcess[],
  burst: Burst,
): Promise<BurstResult> {
  const { ledgerCloser, maker, rpcUrl } = world
  const bodies = await maker.make(burst.settlements)
  const closed = await ledgerCloser.nextClose()
  await Promise.all(facilitators.map(({ program }) => program.readMeter()))
  const loads = facilitators.map(({ url }, part) =>
    runLoad({
      ...{ url, endpoint: '/settle' as const, timeoutMs: TIMEOUT_MS },
      bodies: bodies.filter((_, index) => index % facilitators.length === part),
      inFlight: Math.ceil(burst.inFlight / facilitators.length),
    }),
  )
  const samples = (await Promise.all(loads)).flatMap((load) => load.samples)
  const meters = await Promise.all(facilitators.map(({ program }) => program.readMeter()))
  await waitForLateTransfers(world, samples)
  const transfers = await transfersAfter(rpcUrl, closed)
  return { ...burst, samples, transfers, firstLedger: closed + 1, meters }
}

/** A settlement that failed by its answer can still be on the ledger up to two ledgers later. */
async function waitForLateTransfers(
  { ledgerCloser }: EngineWorld,
  samples: readonly Sample[],
): Promise<void> {
  if (samples.every(({ failure }) => failure === undefined)) return
  await ledgerCloser.nextClose()
  await ledgerCloser.nextClose()
}

/** Warm-up, not counted. Throws when a settlement fails. */
export async function warmUp(
  world: EngineWorld,
  facilitators: readonly FacilitatorProcess[],
  settlements: number,
): Promise<void> {
  for (const facilitator of facilitators) {
    const bodies = await world.maker.make(settlements)
    const load = { url: facilitator.url, endpoint: '/settle' as const, bodies }
    const { samples } = await runLoad({ ...load, inFlight: settlements, timeoutMs: TIMEOUT_MS })
    const failed = samples.find(({ failure }) => failure !== undefined)
    if (failed) throw new Error(`warm-up failed: ${failed.failure}`)
  }
}
