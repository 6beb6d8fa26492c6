/** Hashes of transactions on one network, and signatures over them. */
import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import type { Signer } from './signer.ts'

const sha256 = (bytes: Uint8Array | string): Uint8Array =>
  new Uint8Array(createHash('sha256').update(bytes).digest())

/** SHA-256 of the passphrase; it binds every signature to one network. */
const networkIdOf = (passphrase: string): Uint8Array => sha256(passphrase)

export const transactionHash = (tx: xdr.Transaction, passphrase: string): Uint8Array =>
  payloadHash(xdr.TransactionSignaturePayloadTaggedTransaction.envelopeTypeTx(tx), passphrase)

export const feeBumpHash = (tx: xdr.FeeBumpTransaction, passphrase: string): Uint8Array =>
  payloadHash(
    xdr.TransactionSignaturePayloadTaggedTransaction.envelopeTypeTxFeeBump(tx),
    passphrase,
  )

/** A signature with its hint, the last four bytes of the key, by which stellar-core finds the signer. */
export const decorated = (
  { publicKey }: Pick<Signer, 'publicKey'>,
  signature: Uint8Array,
): xdr.DecoratedSignature => new xdr.DecoratedSignature({ hint: publicKey.subarray(-4), signature })

export const signatureOf = (signer: Signer, hash: Uint8Array): xdr.DecoratedSignature =>
  decorated(signer, signer.sign(hash))

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const payloadHash = (
  taggedTransaction: xdr.TransactionSignaturePayloadTaggedTransaction,
  passphrase: string,
): Uint8Array =>
  sha256(
    new xdr.TransactionSignaturePayload({
      networkId: networkIdOf(passphrase),
      taggedTransaction,
    }).toXdr(),
  )
