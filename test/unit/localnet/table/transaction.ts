/** Transactions of the table, from few words. */
import type { Keypair, Memo, TransactionBuilder } from '@stellar/stellar-sdk'
import { xdr } from '@stellar/stellar-sdk'
import { addressOf as addressOfId, unmuxed } from '../../../../src/localnet/ledger/account-id.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { build, type Envelope, type Op, type PreparedCall } from '../harness.ts'
import { accountOf, alice } from './accounts.ts'

export interface Tx {
  readonly operations: readonly Op[]
  /** @default alice */
  readonly source?: Keypair
  /** @default the sources of the transaction and of its operations */
  readonly signers?: readonly Keypair[]
  /** Stroops bid for each operation. @default 100, the base fee */
  readonly rate?: bigint
  readonly memo?: Memo
  /** Declares the resources of its operation. */
  readonly call?: PreparedCall
  /** Added to the next sequence number. */
  readonly sequenceOffset?: bigint
  readonly conditions?: (builder: TransactionBuilder, net: Localnet) => TransactionBuilder
}

/** A transaction that is built on the ledger that it meets, and what its result depends on. */
export interface Sending {
  readonly operations: readonly Op[]
  /** The account whose sequence number is used. */
  readonly source: Keypair
  readonly payer: Keypair
  /** Stroops that the result names. */
  readonly fee: bigint
  readonly feeBump: boolean
  readonly build: (net: Localnet) => Envelope | Promise<Envelope>
}

/** Operations alone are a transaction of alice. */
export type Send = Op | readonly Op[] | Tx | Sending

const BASE_FEE = 100n

export function sendingOf(send: Send): Sending {
  if ('build' in send) return send
  const tx = txOf(send)
  return sending(tx, (net) => transactionOf(net, tx))
}

function txOf(send: Op | readonly Op[] | Tx): Tx {
  if (send instanceof xdr.Operation) return { operations: [send] }
  return 'operations' in send ? send : { operations: send }
}

/** For what `transactionOf` cannot build. */
export function sending(
  { operations, source = alice }: Pick<Tx, 'operations' | 'source'>,
  buildIt: Sending['build'],
  others: Partial<Sending> = {},
): Sending {
  const fee = BASE_FEE * BigInt(operations.length)
  return { operations, source, payer: source, fee, feeBump: false, build: buildIt, ...others }
}

export function transactionOf(net: Localnet, tx: Tx) {
  const { operations, source = alice, rate = BASE_FEE, conditions, ...others } = tx
  return build(net, {
    signers: sourcesOf(source, operations),
    ...others,
    operations,
    source,
    fee: rate.toString(),
    ...(conditions && { conditions: (builder) => conditions(builder, net) }),
  })
}

function sourcesOf(source: Keypair, operations: readonly Op[]): Keypair[] {
  const others = operations.flatMap(({ sourceAccount }) => {
    const account = sourceAccount && accountOf(addressOfId(unmuxed(sourceAccount)))
    return account ? [account] : []
  })
  return [...new Set([source, ...others])]
}

export const from = (source: Keypair, ...operations: readonly Op[]): Tx => ({ source, operations })

export const signedBy = (signers: readonly Keypair[], ...operations: readonly Op[]): Tx => ({
  signers,
  operations,
})
