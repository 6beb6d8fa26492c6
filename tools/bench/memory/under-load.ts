import { setTimeout as pause } from 'node:timers/promises'
import type { FacilitatorProcess } from '../facilitators.ts'
import { runLoad } from '../load.ts'
import type { PaymentMaker } from '../payment-maker.ts'
import { cpuMsOf, type Resident, residentOf } from './resident.ts'

export interface LoadedMemory {
  readonly start: Resident
  readonly loaded: Resident
  /** A minute after the last payment. */
  readonly rested: Resident
  /** Why payments failed. */
  readonly failures: readonly string[]
  /** Processor time of the process for one payment. */
  readonly cpuMs: number
}

const IN_FLIGHT = 300
/** V8 gives memory back when it has been idle for some seconds. */
const REST_MS = 60_000

/** Memory of a facilitator after its start, and after 300 payments in flight at once. */
export async function memoryUnderLoad(
  { url, program }: FacilitatorProcess,
  maker: PaymentMaker,
): Promise<LoadedMemory> {
  const start = await residentOf(program.pid)
  const bodies = await maker.make(IN_FLIGHT)
  const before = await cpuMsOf(program.pid)
  const { samples } = await runLoad({ url, endpoint: '/settle', bodies, inFlight: IN_FLIGHT })
  const loaded = await residentOf(program.pid)
  const after = await cpuMsOf(program.pid)
  await pause(REST_MS)
  return {
    ...{ start, loaded, rested: await residentOf(program.pid) },
    failures: samples.flatMap(({ failure }) => failure ?? []),
    cpuMs: (after - before) / IN_FLIGHT,
  }
}
