import { Account, Asset, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { asStroops } from '../../platform/core/amounts/stroops.ts'
import type { SignedEnvelope } from './sign-transaction.ts'

export interface TrustlineTerms {
  readonly passphrase: string
  /** Secret key of the account, which pays the fee itself. */
  readonly secret: string
  /** The account's own; the transaction takes the next one. */
  readonly sequence: bigint
  readonly code: string
  readonly issuer: string
  /** Stroops. */
  readonly fee: bigint
  /** Unix seconds after which the network refuses the transaction. */
  readonly maxTime: bigint
}

/** Lets an account hold an asset, without a limit. */
export function trustlineEnvelope(terms: TrustlineTerms): SignedEnvelope {
  const { passphrase, secret, sequence, code, issuer, fee, maxTime } = terms
  const keys = Keypair.fromSecret(secret)
  const transaction = new TransactionBuilder(new Account(keys.publicKey(), String(sequence)), {
    fee: String(fee),
    networkPassphrase: passphrase,
    timebounds: { minTime: 0, maxTime: String(maxTime) },
  })
    .addOperation(Operation.changeTrust({ asset: new Asset(code, issuer) }))
    .build()
  transaction.sign(keys)
  return {
    envelopeXdr: transaction.toXDR(),
    hash: Buffer.from(transaction.hash()).toString('hex'),
    totalFee: asStroops(fee),
    maxTime,
  }
}
