import type { Signer } from '../../../stellar/accounts/signer.ts'
import type { UptoPolicy } from '../../protocol/policy.ts'

/** The scheme `upto` on one network. */
export interface UptoOptions {
  /** The settlement contract, `C...`. */
  readonly contract: string
  /** Settlement authorities: the sponsor's own, then those of earlier sponsors, whose authorizations still settle. */
  readonly authorities: readonly [Signer, ...Signer[]]
  /** The authority of the sponsor that replaces this one: other replicas already name it to buyers. */
  readonly nextAuthority?: Signer | undefined
  readonly keeper: KeeperOptions
}

/** When the keeper extends and restores the contract's instance and code. */
export interface KeeperOptions {
  readonly enabled: boolean
  /** Whether it restores what is archived. */
  readonly autoRestore: boolean
  /** It extends what has a lower TTL, in ledgers ... */
  readonly floorLedgers: number
  /** ... to this one. */
  readonly targetLedgers: number
}

export function uptoPolicy(upto: UptoOptions): UptoPolicy {
  const {
    contract,
    authorities: [own, ...earlier],
    nextAuthority,
  } = upto
  const others = nextAuthority ? [...earlier, nextAuthority] : earlier
  return { contract, authorities: [own.address, ...others.map(({ address }) => address)] }
}
