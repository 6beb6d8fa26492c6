import type { Program } from './child.ts'
import { type RunningProgram, startUntilReady } from './running-program.ts'

export interface FacilitatorProcess extends RunningProgram {
  readonly url: string
}

/** Starts the facilitator and waits until `/ready` answers 200. */
export async function startFacilitator(
  program: Program,
  url: string,
  logFile: string,
  signal: AbortSignal,
): Promise<FacilitatorProcess> {
  const isReady = async (stopWaiting: AbortSignal) => {
    const response = await fetch(`${url}/ready`, { signal: stopWaiting })
    await response.body?.cancel()
    return response.ok
  }
  return { url, ...(await startUntilReady(program, { isReady, logFile }, signal)) }
}
