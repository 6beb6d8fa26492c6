import type { Stroops } from '../../core/stroops.ts'
import type { KeeperState } from '../../store/upto/keeper-state.ts'

/** What is known of the scheme `upto` on one network: the input of its part of `/health`, and of its warnings. */
export interface UptoFacts {
  readonly contract: string
  readonly authority: AuthorityFacts
  readonly keeper: {
    readonly enabled: boolean
    readonly autoRestore: boolean
    /** As last read from the store. */
    readonly state: KeeperState | undefined
  }
}

export interface AuthorityFacts {
  readonly address: string
  /** As last read; undefined before the first read. `missing`: the account is not on the ledger. */
  readonly account:
    | 'missing'
    | { readonly balance: Stroops; readonly spendable: Stroops }
    | undefined
  /** Accepted tokens with a positive balance, as last read. */
  readonly tokens:
    | readonly { readonly symbol: string; readonly contract: string; readonly balance: bigint }[]
    | undefined
}
