/** One row of the table: what is sent on top of which ledger, and what must come of it. */
import type { Keypair, Memo, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { Account } from '../../../../src/localnet/ledger/account.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import type { Op } from '../harness.ts'
import type { Facts } from './ledger-state.ts'

export interface Envelope {
  toEnvelope(): xdr.TransactionEnvelope
}

/** A transaction in few words: alice's, signed by its source, at the base fee for every operation. */
export interface Parts {
  readonly operations: readonly Op[]
  readonly source?: Keypair
  readonly signers?: readonly Keypair[]
  /** Stroops for each operation. */
  readonly rate?: bigint
  readonly memo?: Memo
  readonly sequenceOffset?: bigint
  readonly conditions?: (builder: TransactionBuilder, net: Localnet) => TransactionBuilder
}

/** Accounts as no ordinary transaction could make them: balances near the limit, and the like. */
export interface Doctored extends Partial<Omit<Account, 'id'>> {
  readonly who: Keypair
}

export interface Row {
  /** Where the rule stands: a CAP, or the place in stellar-core that decides. */
  readonly rule: string
  /** Completes the sentence "answers … when". */
  readonly when: string
  /** Transactions that must succeed first, one ledger each. */
  readonly given?: readonly (Parts | ((net: Localnet) => Envelope))[]
  readonly doctored?: readonly Doctored[]
  readonly send: Parts | ((net: Localnet) => Envelope | Promise<Envelope>)
  /** From the outside in; begins with ERROR where the transaction is refused before any ledger. */
  readonly codes: string
  /** Stroops that the result names. @default the base fee for every operation */
  readonly fee?: bigint
  /** Whose sequence number is used. @default the source of what is sent, or else Alice */
  readonly source?: Keypair
  /** @default the source */
  readonly payer?: Keypair
  /** Everything that differs afterwards, but for the fee and the one sequence number used. */
  readonly changes?: Facts
}
