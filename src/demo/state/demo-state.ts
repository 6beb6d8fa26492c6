import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { textOf } from '../../platform/core/errors/read-answer.ts'
import type { Parties } from '../observe/observed-payment.ts'
import type { Wallet } from '../wallets.ts'

/** The embedded network has testnet's passphrase, so stock clients treat it as testnet. */
export const DEMO_NETWORK = 'stellar:testnet'

/** The content of the state file before the parts of a demo start. */
export interface ClaimedDemo {
  /** Random; the paid API answers it at `IDENTITY_PATH`. */
  readonly id: string
  readonly pid: number
  readonly apiPort: number
}

/** The state file of a running demo, which `svc pay`, `svc status` and `svc doctor` read, so that they need no settings. */
export interface DemoState extends ClaimedDemo {
  /** URL of the call with a fixed price. */
  readonly paidUrl: string
  /** URL of the metered call. */
  readonly meteredUrl: string
  readonly facilitatorUrl: string
  readonly explorerUrl: string
  /** The embedded network over http: RPC, friendbot and faucet. */
  readonly networkUrl: string
  /** The same RPC over https, as stock clients require. */
  readonly rpcUrl: string
  /** PEM of the authority that signed the RPC's certificate. */
  readonly caFile: string
  readonly passphrase: string
  readonly buyer: Wallet
  readonly parties: Parties
  /** The settings of the demo's `svc serve`: its database, its RPC, the seed of its sponsor or who signs for it. */
  readonly environment: Readonly<Record<string, string>>
}

/** Where the paid API of a demo answers its id. */
export const IDENTITY_PATH = '/demo'

export const stateFile = (folder: string): string => join(folder, 'demo.json')

/** Where buyers record what they pay to a demo: its network ends with it, and what was signed there. */
export const paymentsFile = (folder: string): string => join(folder, 'payments.sqlite')

/** The demo that runs from this folder now and has started all its parts. */
export async function runningDemo(folder: string): Promise<DemoState | undefined> {
  const state = await readState(folder)
  return state && isComplete(state) && (await isRunning(state)) ? state : undefined
}

/**
 * The state file's content; undefined without one, and for one of another user, who could send the
 * commands of this user to a service of their own.
 */
export async function readState(folder: string): Promise<ClaimedDemo | DemoState | undefined> {
  try {
    await using file = await open(stateFile(folder))
    if ((await file.stat()).uid !== process.getuid?.()) return undefined
    const state: Partial<ClaimedDemo> = JSON.parse(await file.readFile('utf8'))
    const { id, pid, apiPort } = state
    return id && pid && apiPort ? { ...state, id, pid, apiPort } : undefined
  } catch {
    return undefined
  }
}

const isComplete = (state: ClaimedDemo | DemoState): state is DemoState => 'environment' in state

/** A demo that answers nothing for this long is stopped (Ctrl-Z) or overloaded. */
const PROBE_MS = 2_000

/**
 * Whether the demo that wrote the state still runs. After a crash another process may have its process
 * id and another demo its port, so the API has to answer with the id. A process that does not answer
 * in time counts as running: it may go on.
 */
export async function isRunning({ id, pid, apiPort }: ClaimedDemo): Promise<boolean> {
  if (!isProcess(pid)) return false
  const url = `http://127.0.0.1:${apiPort}${IDENTITY_PATH}`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) })
    return (await textOf(response)) === id
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError'
  }
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
