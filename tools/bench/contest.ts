import { setTimeout as pause } from 'node:timers/promises'
import type { Contender } from './contenders.ts'
import type { Landed } from './landed.ts'
import { type Endpoint, type LoadResult, runLoad } from './load.ts'
import type { MeterReading } from './meter.ts'
import type { PaymentBody } from './payment-maker.ts'
import type { World } from './world.ts'

/** One row of a table: the same load on either facilitator. */
export interface Section {
  readonly endpoint: Endpoint
  readonly inFlight: number
  /** Each facilitator is loaded once a round, in turn, so that both see the same machine. */
  readonly rounds: number
  readonly requestsPerRound: number
  /** See `Load`. */
  readonly spreadMs?: number
}

export interface Round extends LoadResult {
  readonly meter: MeterReading
  /** Settlements that the ledger itself confirms. */
  readonly landed: readonly Landed[]
}

export interface SectionResult {
  readonly section: Section
  readonly ours: readonly Round[]
  readonly stock: readonly Round[]
}

/** Between two loads, so that none pays for what another left behind, in milliseconds. */
const REST_MS = 250
/** Different payments in one round of verifications. */
const VERIFIED_PAYMENTS = 50

export async function runSection(world: World, section: Section): Promise<SectionResult> {
  const ours: Round[] = []
  const stock: Round[] = []
  for (let round = 0; round < section.rounds; round++) {
    const [forOurs, forStock] = await paymentsFor(world, section)
    const turns = [
      async () => ours.push(await loadOne(world, world.ours, section, forOurs)),
      async () => stock.push(await loadOne(world, world.stock, section, forStock)),
    ]
    // Whoever goes second this time goes first the next.
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  return { section, ours, stock }
}

/** Signed just before use, since they expire, and never in the time that is measured. */
async function paymentsFor(
  { maker }: World,
  { endpoint, requestsPerRound }: Section,
): Promise<[PaymentBody[], PaymentBody[]]> {
  if (endpoint === '/settle') {
    const payments = await maker.make(requestsPerRound * 2)
    return [payments.slice(0, requestsPerRound), payments.slice(requestsPerRound)]
  }
  // To verify a payment uses nothing of it up.
  const few = await maker.make(Math.min(VERIFIED_PAYMENTS, requestsPerRound))
  const payments = Array.from({ length: requestsPerRound }, (_, index) => few[index % few.length]!)
  return [payments, payments]
}

async function loadOne(
  world: World,
  { url, program }: Contender,
  { endpoint, inFlight, spreadMs = 0 }: Section,
  bodies: readonly PaymentBody[],
): Promise<Round> {
  await pause(REST_MS)
  await program.readMeter()
  const result = await runLoad({ url, endpoint, bodies, inFlight, spreadMs })
  const meter = await program.readMeter()
  const landed: Landed[] = []
  for (const { transaction } of result.samples) {
    const found = transaction === undefined ? undefined : await world.ask(transaction)
    if (found) landed.push(found)
  }
  return { ...result, meter, landed }
}
