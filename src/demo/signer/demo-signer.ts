import type { DemoFailure } from '../demo-failure.ts'

/** What signs for the sponsor of a demo in place of a seed. */
export interface DemoSigner extends AsyncDisposable {
  /** The account of its key, `G...`. */
  readonly address: string
  /** Where the key lies, for `TESTNET_SPONSOR_SIGNER`. */
  readonly uri: string
  /** What the step of the start says it is. */
  readonly description: string
  /** Variables beside the settings that a program needs to use it. */
  readonly environment: Readonly<Record<string, string>>
  /** Resolves when it ends before the demo stops it; undefined for one that has no process of its own. */
  readonly lost: Promise<DemoFailure> | undefined
}

/** In the folder of a demo: what its signer needs. Removed when the demo ends. */
export const SIGNER_FOLDER = 'signer'

/** Where a signer with a process of its own logs. */
export const SIGNER_LOG = 'signer.log'

/** Shows a long address in one line of the start. */
export const shortAddress = (address: string): string =>
  `${address.slice(0, 4)}…${address.slice(-4)}`
