import { setTimeout as pause } from 'node:timers/promises'
import type { ConfirmedTransaction } from './confirmed-transaction.ts'
import type { FacilitatorProcess } from './facilitators.ts'
import { type Endpoint, type LoadResult, runLoad } from './load.ts'
import type { MeterReading } from './meter.ts'
import type { PaymentBody } from './payment-maker.ts'
import type { World } from './world.ts'

/** One row of a table: the same load on each facilitator. */
export interface Section {
  readonly endpoint: Endpoint
  readonly inFlight: number
  /** Each round loads both facilitators, one after the other, so that the machine's state affects both. */
  readonly rounds: number
  readonly requestsPerRound: number
  /** See `Load`. */
  readonly spreadMs?: number
}

export interface Round extends LoadResult {
  readonly meter: MeterReading
  /** Settlements confirmed on the ledger. */
  readonly confirmed: readonly ConfirmedTransaction[]
}

export interface SectionResult {
  readonly section: Section
  readonly ours: readonly Round[]
  readonly stock: readonly Round[]
}

/** Between two loads, for background work of the first to end. */
const PAUSE_MS = 250
/** Different payments in one round of verifications. */
const VERIFIED_PAYMENTS = 50

export async function runSection(world: World, section: Section): Promise<SectionResult> {
  const ours: Round[] = []
  const stock: Round[] = []
  for (let round = 0; round < section.rounds; round++) {
    const [forOurs, forStock] = await paymentsFor(world, section)
    const loads = [
      async () => ours.push(await loadOne(world, world.ours, section, forOurs)),
      async () => stock.push(await loadOne(world, world.stock, section, forStock)),
    ]
    // The order alternates.
    for (const load of round % 2 === 0 ? loads : loads.toReversed()) await load()
  }
  return { section, ours, stock }
}

/** Signed just before use, because they expire, and outside the measured time. */
async function paymentsFor(
  { maker }: World,
  { endpoint, requestsPerRound }: Section,
): Promise<[PaymentBody[], PaymentBody[]]> {
  if (endpoint === '/settle') {
    const payments = await maker.make(requestsPerRound * 2)
    return [payments.slice(0, requestsPerRound), payments.slice(requestsPerRound)]
  }
  // Verification consumes nothing, so payments can be verified again.
  const few = await maker.make(Math.min(VERIFIED_PAYMENTS, requestsPerRound))
  const payments = Array.from({ length: requestsPerRound }, (_, index) => few[index % few.length]!)
  return [payments, payments]
}

async function loadOne(
  world: World,
  { url, program }: FacilitatorProcess,
  { endpoint, inFlight, spreadMs = 0 }: Section,
  bodies: readonly PaymentBody[],
): Promise<Round> {
  await pause(PAUSE_MS)
  await program.readMeter()
  const result = await runLoad({ url, endpoint, bodies, inFlight, spreadMs })
  const meter = await program.readMeter()
  const confirmed: ConfirmedTransaction[] = []
  for (const { transaction } of result.samples) {
    const found = transaction === undefined ? undefined : await world.findTransaction(transaction)
    if (found) confirmed.push(found)
  }
  return { ...result, meter, confirmed }
}
