import type { Contender } from '../contenders.ts'
import { runLoad, type Sample } from '../load.ts'
import type { MeterReading } from '../meter.ts'
import { type Transfer, transfersAfter } from './transfers.ts'
import type { EngineWorld } from './world.ts'

/** Settlements that begin right after a ledger closed, some number of them at any time under way. */
export interface Crowd {
  readonly settlements: number
  readonly inFlight: number
}

export interface CrowdResult extends Crowd {
  readonly samples: readonly Sample[]
  /** Everything that was paid meanwhile, as the ledger tells it. */
  readonly transfers: readonly Transfer[]
  /** The first ledger that could hold any of it. */
  readonly firstLedger: number
  /** Of each facilitator. */
  readonly meters: readonly MeterReading[]
}

/** A settlement without an answer by then has failed; stock follows one for up to five minutes. */
const GIVE_UP_MS = 60_000

/** Puts the load on the facilitators, evenly split, and counts on the ledger what came of it. */
export async function runCrowd(
  world: EngineWorld,
  contenders: readonly Contender[],
  crowd: Crowd,
): Promise<CrowdResult> {
  const { metronome, maker, rpcUrl } = world
  const bodies = await maker.make(crowd.settlements)
  const closed = await metronome.nextClose()
  await Promise.all(contenders.map(({ program }) => program.readMeter()))
  const loads = contenders.map(({ url }, part) =>
    runLoad({
      ...{ url, endpoint: '/settle' as const, giveUpMs: GIVE_UP_MS },
      bodies: bodies.filter((_, index) => index % contenders.length === part),
      inFlight: Math.ceil(crowd.inFlight / contenders.length),
    }),
  )
  const samples = (await Promise.all(loads)).flatMap((load) => load.samples)
  const meters = await Promise.all(contenders.map(({ program }) => program.readMeter()))
  await quiet(world, samples)
  const transfers = await transfersAfter(rpcUrl, closed)
  return { ...crowd, samples, transfers, firstLedger: closed + 1, meters }
}

/** What had no good answer may land all the same: it is waited for as long as it could. */
async function quiet({ metronome }: EngineWorld, samples: readonly Sample[]): Promise<void> {
  if (samples.every(({ failure }) => failure === undefined)) return
  await metronome.nextClose()
  await metronome.nextClose()
}

/** Not counted: code that has not run yet is slow once. Throws when anything is refused. */
export async function warmUp(
  world: EngineWorld,
  contenders: readonly Contender[],
  settlements: number,
): Promise<void> {
  for (const contender of contenders) {
    const bodies = await world.maker.make(settlements)
    const load = { url: contender.url, endpoint: '/settle' as const, bodies }
    const { samples } = await runLoad({ ...load, inFlight: settlements, giveUpMs: GIVE_UP_MS })
    const failed = samples.find(({ failure }) => failure !== undefined)
    if (failed) throw new Error(`warming up: ${failed.failure}`)
  }
}
