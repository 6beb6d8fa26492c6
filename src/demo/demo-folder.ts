import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { claimPort } from './claimed-port.ts'
import { DemoFailure } from './demo-failure.ts'
import type { Parties } from './observed-payment.ts'
import type { Wallet } from './wallets.ts'

/** The embedded network has testnet's passphrase, so stock clients treat it as testnet. */
export const DEMO_NETWORK = 'stellar:testnet'

/** What a running demo writes for `svc pay`, so that this needs no arguments. */
export interface DemoState {
  readonly pid: number
  readonly apiPort: number
  readonly paidUrl: string
  readonly facilitatorUrl: string
  /** The embedded network over http: RPC, friendbot and faucet. */
  readonly networkUrl: string
  /** The same RPC over https, as stock clients require. */
  readonly rpcUrl: string
  /** PEM of the authority that signed the RPC's certificate. */
  readonly caFile: string
  readonly passphrase: string
  readonly buyer: Wallet
  readonly parties: Parties
}

/** Where a demo keeps its files without `--dir`, and where `svc pay` looks for it. */
export const demoFolder = (): string => join(process.cwd(), '.svc', 'demo')

const stateFile = (folder: string) => join(folder, 'demo.json')

/**
 * Empties the folder for a new demo. Throws DemoFailure while an earlier demo still runs from it.
 */
export async function takeFolder(folder: string, ownPid: number): Promise<void> {
  const earlier = await runningDemo(folder)
  if (earlier && earlier.pid !== ownPid) {
    throw new DemoFailure(
      `a demo is already running (process ${earlier.pid}) and serves ${earlier.paidUrl}`,
      'Use that one, stop it with Ctrl-C, or give this one other ports and --dir.',
    )
  }
  // A database whose demo was killed a moment ago may still be writing its last files.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  await mkdir(folder, { recursive: true })
}

export async function writeState(folder: string, state: DemoState): Promise<void> {
  await writeFile(stateFile(folder), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
}

/** Removes the state, so that `svc pay` does not look for a demo that has stopped. */
export async function removeState(folder: string): Promise<void> {
  await rm(stateFile(folder), { force: true })
}

/** The demo that runs from this folder now. */
export async function runningDemo(folder: string): Promise<DemoState | undefined> {
  const state = await readState(folder)
  return state && (await stillRuns(state)) ? state : undefined
}

async function readState(folder: string): Promise<DemoState | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(folder), 'utf8')) as DemoState
  } catch {
    return undefined
  }
}

/** After a crash another process may have the process id, so the port has to be taken as well. */
async function stillRuns({ pid, apiPort }: DemoState): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    await using _free = await claimPort(apiPort, 'paid API')
    return false
  } catch {
    return true
  }
}
