/**
 * The buyer's part of a settlement: a call of `settle`, and the authorization entry for it. Both follow from the terms
 * alone, so no simulation has to record them.
 */
import { Address, authorizeEntry, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import type { ClientStellarSigner } from '@x402/stellar'
import { settleArguments, type UptoPayload } from '../../payments/schemes/upto/terms.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import type { Offer } from './read-offer.ts'

export interface Authorization {
  readonly offer: Offer
  /** The last ledger in which the seller can settle. */
  readonly expirationLedger: number
  /** 32 random bytes: what makes this authorization usable once. */
  readonly nonce: Uint8Array
  /** Signed 64 bits, random: the ledger's own nonce of the entry. */
  readonly entryNonce: bigint
}

type SettleArgument = (typeof settleArguments)[number]

/** Has the payer sign, and returns what goes to the seller. Throws what the signer throws, and for a signature of another key. */
export async function signAuthorization(
  signer: ClientStellarSigner,
  authorization: Authorization,
): Promise<UptoPayload> {
  const { offer, expirationLedger, nonce } = authorization
  const entry = await authorizeEntry(
    unsignedEntry(signer.address, authorization),
    (preimage) => signatureBy(signer, preimage, passphrases[offer.network]),
    expirationLedger,
    passphrases[offer.network],
  )
  return {
    transaction: envelopeOf(settleCall(signer.address, authorization), entry),
    maxAmount: String(offer.ceiling),
    expirationLedger,
    nonce: Buffer.from(nonce).toString('hex'),
  }
}

/**
 * The stock signer of an account returns an ed25519 signature. The signer of a contract account returns the base64 XDR
 * of the `ScVal` that the account's `__check_auth` takes.
 */
async function signatureBy(
  { address, signAuthEntry }: ClientStellarSigner,
  preimage: xdr.HashIdPreimage,
  networkPassphrase: string,
) {
  const { signedAuthEntry, error } = await signAuthEntry(preimage.toXdr('base64'), {
    networkPassphrase,
    address,
  })
  if (error) throw new Error(`The signer refused: ${error.message}`)
  return address.startsWith('C')
    ? { signatureScVal: xdr.ScVal.fromXdr(signedAuthEntry, 'base64') }
    : { signature: Buffer.from(signedAuthEntry, 'base64'), publicKey: address }
}

function unsignedEntry(payer: string, authorization: Authorization): xdr.SorobanAuthorizationEntry {
  const { offer, expirationLedger, entryNonce } = authorization
  const values = argumentValues(payer, authorization)
  const signed = settleArguments.filter((name) => name !== 'from' && name !== 'actual')
  const approve = call(offer.asset, 'approve', [
    values.from,
    addressValue(offer.contract),
    values.ceiling,
    values.expirationLedger,
  ])
  const root = call(
    offer.contract,
    'settle',
    signed.map((name) => values[name]),
  )
  return new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(
      new xdr.SorobanAddressCredentials({
        address: Address.fromString(payer).toScAddress(),
        nonce: entryNonce,
        signatureExpirationLedger: expirationLedger,
        signature: xdr.ScVal.scvVoid(),
      }),
    ),
    rootInvocation: invocationOf(root, [invocationOf(approve, [])]),
  })
}

/** The actual amount in it is the ceiling: the facilitator puts the amount that was used in its place. */
function settleCall(payer: string, authorization: Authorization): xdr.InvokeContractArgs {
  const values = argumentValues(payer, authorization)
  return call(
    authorization.offer.contract,
    'settle',
    settleArguments.map((name) => values[name]),
  )
}

function argumentValues(
  payer: string,
  { offer, expirationLedger, nonce }: Authorization,
): Readonly<Record<SettleArgument, xdr.ScVal>> {
  const ceiling = nativeToScVal(offer.ceiling, { type: 'i128' })
  return {
    token: addressValue(offer.asset),
    from: addressValue(payer),
    to: addressValue(offer.payTo),
    ceiling,
    expirationLedger: xdr.ScVal.scvU32(expirationLedger),
    nonce: xdr.ScVal.scvBytes(nonce),
    actual: ceiling,
    authority: addressValue(offer.authority),
  }
}

const addressValue = (address: string): xdr.ScVal => nativeToScVal(address, { type: 'address' })

const call = (contract: string, functionName: string, args: xdr.ScVal[]): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(contract).toScAddress(),
    functionName,
    args,
  })

const invocationOf = (
  invoked: xdr.InvokeContractArgs,
  subInvocations: xdr.SorobanAuthorizedInvocation[],
): xdr.SorobanAuthorizedInvocation =>
  new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(invoked),
    subInvocations,
  })

/** Base64, from the all-zero account and without signatures, as the stock client of `exact` leaves it. */
function envelopeOf(invoked: xdr.InvokeContractArgs, entry: xdr.SorobanAuthorizationEntry): string {
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: xdr.HostFunction.hostFunctionTypeInvokeContract(invoked),
        auth: [entry],
      }),
    ),
  })
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
    fee: 100,
    seqNum: 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [operation],
    ext: xdr.TransactionExt.v0(),
  })
  const envelope = new xdr.TransactionV1Envelope({ tx, signatures: [] })
  return xdr.TransactionEnvelope.envelopeTypeTx(envelope).toXdr('base64')
}
