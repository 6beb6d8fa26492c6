/** The authorization of a call by the account that pays, and the envelope that takes both to the seller. */
import { Address, authorizeEntry, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import type { AccountSigner } from './account-signer.ts'

export interface Validity {
  /** The last ledger in which the authorization is valid. */
  readonly expirationLedger: number
  /** Signed 64 bits: the ledger takes each one once of an account. */
  readonly nonce: bigint
  readonly passphrase: string
}

/**
 * Has the account sign. Throws what the signer throws, and for an ed25519 signature of another key.
 *
 * @returns the entry of the account, and after it those of others who authorize its `__check_auth`
 */
export async function authorize(
  signer: AccountSigner,
  invocation: xdr.SorobanAuthorizedInvocation,
  { expirationLedger, nonce, passphrase }: Validity,
): Promise<readonly xdr.SorobanAuthorizationEntry[]> {
  const { address } = signer
  let further: readonly string[] = []
  const sign = async (preimage: xdr.HashIdPreimage) => {
    const asked = { networkPassphrase: passphrase, address }
    const signed = await signer.signAuthEntry(preimage.toXdr('base64'), asked)
    if (signed.error) throw new Error(`The signer refused: ${signed.error.message}`)
    further = signed.furtherEntries ?? []
    return address.startsWith('C')
      ? { signatureScVal: xdr.ScVal.fromXdr(signed.signedAuthEntry, 'base64') }
      : { signature: Buffer.from(signed.signedAuthEntry, 'base64'), publicKey: address }
  }
  const credentials = new xdr.SorobanAddressCredentials({
    address: Address.fromString(address).toScAddress(),
    nonce,
    signatureExpirationLedger: expirationLedger,
    signature: xdr.ScVal.scvVoid(),
  })
  const unsigned = new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(credentials),
    rootInvocation: invocation,
  })
  const own = await authorizeEntry(unsigned, sign, expirationLedger, passphrase)
  return [own, ...further.map((each) => xdr.SorobanAuthorizationEntry.fromXdr(each, 'base64'))]
}

export const randomNonce = (): bigint =>
  new DataView(crypto.getRandomValues(new Uint8Array(8)).buffer).getBigInt64(0)

export const addressValue = (address: string): xdr.ScVal =>
  nativeToScVal(address, { type: 'address' })

export const callOf = (
  contract: string,
  functionName: string,
  args: xdr.ScVal[],
): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(contract).toScAddress(),
    functionName,
    args,
  })

export const invocationOf = (
  call: xdr.InvokeContractArgs,
  subInvocations: xdr.SorobanAuthorizedInvocation[] = [],
): xdr.SorobanAuthorizedInvocation =>
  new xdr.SorobanAuthorizedInvocation({
    function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
    subInvocations,
  })

/** Bid for the inclusion of the transaction, which is the least. */
const INCLUSION_FEE = 100n

/**
 * Base64, from the all-zero account and without signatures, as the stock client of `exact` leaves it.
 *
 * @param transactionData base64 XDR `SorobanTransactionData` of a simulation
 */
export function envelopeOf(
  call: xdr.InvokeContractArgs,
  auth: readonly xdr.SorobanAuthorizationEntry[] = [],
  transactionData?: string,
): string {
  const data =
    transactionData === undefined
      ? undefined
      : xdr.SorobanTransactionData.fromXdr(transactionData, 'base64')
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth: [...auth],
      }),
    ),
  })
  const tx = new xdr.Transaction({
    sourceAccount: xdr.MuxedAccount.keyTypeEd25519(new Uint8Array(32)),
    fee: Number(INCLUSION_FEE + (data?.resourceFee ?? 0n)),
    seqNum: 1n,
    cond: xdr.Preconditions.precondNone(),
    memo: xdr.Memo.memoNone(),
    operations: [operation],
    ext: data ? xdr.TransactionExt.sorobanData(data) : xdr.TransactionExt.v0(),
  })
  const envelope = new xdr.TransactionV1Envelope({ tx, signatures: [] })
  return xdr.TransactionEnvelope.envelopeTypeTx(envelope).toXdr('base64')
}
