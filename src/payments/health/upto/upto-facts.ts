import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { KeeperState } from '../../store/upto/keeper-state.ts'

/** What is known of the scheme `upto` on one network: the input of its part of `/health`, and of its warnings. */
export interface UptoFacts {
  readonly contract: string
  readonly authority: AuthorityFacts
  /** Authorities of earlier sponsors that the ledger does not have, as last read. */
  readonly missingEarlier: readonly string[]
  readonly keeper: {
    readonly enabled: boolean
    readonly autoRestore: boolean
    /** From the store; its value is also undefined while no keeper has worked on the contract. */
    readonly state: LastRead<KeeperState>
  }
}

export interface AuthorityFacts {
  readonly address: string
  /** `missing`: the account is not on the ledger. */
  readonly account: LastRead<'missing' | AuthorityBalance>
  /** Accepted tokens with a positive balance. */
  readonly tokens: LastRead<readonly HeldToken[]>
}

interface AuthorityBalance {
  readonly balance: Stroops
  /** Of the balance, what is not locked as a reserve. */
  readonly spendable: Stroops
}

export interface HeldToken {
  readonly symbol: string
  readonly contract: string
  /** Base units. */
  readonly balance: bigint
}

export interface LastRead<T> {
  /** Undefined before the first read. */
  readonly value: T | undefined
  /** Polls in a row that failed to read it. */
  readonly misses: number
}

/** The value, unless the last poll could not read it. */
export const currentOf = <T>({ value, misses }: LastRead<T>): T | undefined =>
  misses === 0 ? value : undefined
