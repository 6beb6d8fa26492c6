import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'
import type { SponsorKeys } from '../sponsor-keys.ts'

/**
 * The ways to treat the XLM that is left in the old sponsor. `merge`: its account ends, and the new sponsor gets everything; `payment`: the
 * new sponsor gets all but what the ledger locks; `none`: it stays.
 */
export const sweeps = ['merge', 'payment', 'none'] as const
type Sweep = (typeof sweeps)[number]

/**
 * `planned`: replicas move first, and nothing is refused. `emergency`: the old seed may be stolen. Its XLM goes first, and its
 * channels are taken from whichever replicas still use them.
 */
export const modes = ['planned', 'emergency'] as const
type Mode = (typeof modes)[number]

export interface RotationOptions {
  readonly network: NetworkId
  /** Of the old sponsor. */
  readonly from: SponsorKeys
  /** Of the new sponsor. */
  readonly to: SponsorKeys
  /** The new sponsor gets channels 0 to count - 1; undefined: as many as the old one has, at least `leastCount`. */
  readonly count: number | undefined
  readonly leastCount: number
  /** Whether the scheme `upto` is served: then the new sponsor has a settlement authority, and that of the old one stays. */
  readonly servesUpto: boolean
  readonly mode: Mode
  readonly sweep: Sweep
  /** Bid per operation, and the highest one, which the old sponsor keeps for each merge while its XLM is saved first. */
  readonly inclusionFee: Stroops
  readonly inclusionFeeCap: Stroops
  /** The sum that the new sponsor must have left to spend. */
  readonly keepSpendable: Stroops
  readonly rpc: StellarRpc
  readonly store: Store
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called with a sentence whenever there is something new to say. */
  readonly say: (sentence: string) => void
}
