import type { Clock } from '../../platform/core/time/clock.ts'
import type { WantedPorts } from '../ports/choose-ports.ts'
import type { Program } from '../programs/child.ts'
import type { Progress } from '../progress.ts'
import type { DemoSigner } from '../signer/demo-signer.ts'
import type { DemoState } from '../state/demo-state.ts'
import type { Wallet } from '../wallets.ts'

export interface DemoOptions {
  readonly ports: WantedPorts
  /** Prints a message for a person. */
  readonly say: (text: string) => void
  /** How often a ledger closes, in milliseconds. */
  readonly closeEveryMs: number
  /** Holds everything the demo writes; emptied at the start. */
  readonly folder: string
  readonly parts: DemoParts
  readonly progress: Progress
  readonly clock: Clock
  readonly pid: number
  /** Cancels the start. */
  readonly signal: AbortSignal
}

/** Parts that only the command line can provide: other programs, and Postgres. */
export interface DemoParts {
  /** Starts what signs for the sponsor, with its files in the folder; undefined when the facilitator has the sponsor's seed. */
  readonly startSigner: ((folder: string, signal: AbortSignal) => Promise<DemoSigner>) | undefined
  /** Starts a database whose data lies in the folder; undefined when the facilitator keeps its data in memory. */
  readonly startDatabase: ((folder: string) => Promise<Database>) | undefined
  /** The settings of `svc serve`, as environment variables. */
  readonly facilitatorEnvironment: (settings: FacilitatorSettings) => Record<string, string>
  readonly facilitator: (environment: Readonly<Record<string, string>>) => Program
  readonly buyer: (settings: BuyerSettings) => Program
}

export interface Database extends AsyncDisposable {
  readonly url: string
}

export interface FacilitatorSettings {
  readonly host: string
  readonly port: number
  readonly explorerPort: number
  readonly rpcUrl: string
  readonly sponsor: Sponsor
  /** Settlement contract of the scheme `upto`. */
  readonly uptoContract: string
  readonly databaseUrl: string | undefined
}

/** The account that pays the fees, and its key or who signs with it. */
export type Sponsor =
  | Wallet
  | {
      readonly address: string
      readonly signer: DemoSigner
      /** Seed of the channels' keys. */
      readonly channelSecret: string
    }

/** The URL to pay, and the settings that a stock client needs for the embedded network. */
export interface BuyerSettings extends Pick<DemoState, 'rpcUrl' | 'caFile' | 'buyer'> {
  readonly url: string
}
