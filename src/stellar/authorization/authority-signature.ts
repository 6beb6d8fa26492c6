import { Address, type xdr } from '@stellar/stellar-sdk'
import type { Signer } from '../accounts/signer.ts'
import { signatureOf } from '../accounts/signing.ts'

/** A settlement authority: it signs only calls of one function of one contract. */
export interface SettlementAuthority {
  readonly signer: Signer
  /** `C...` */
  readonly contract: string
  readonly functionName: string
}

/**
 * Signs a transaction as the source account of its operation. This signature authorizes what the account's key may do,
 * hence the checks right here, whatever built the transaction: one operation, which calls the authority's function at
 * its contract; the authority authorizes this call and nothing below it; and it is not the source of the transaction.
 * Throws for any other transaction.
 *
 * @param hash of the transaction
 */
export function signAsAuthority(
  authority: SettlementAuthority,
  tx: xdr.Transaction,
  hash: Uint8Array,
): xdr.DecoratedSignature {
  const problem = problemOf(authority, tx)
  if (problem !== undefined) throw new Error(`the settlement authority does not sign: ${problem}`)
  return signatureOf(authority.signer, hash)
}

function problemOf(
  { signer, contract, functionName }: SettlementAuthority,
  { sourceAccount, operations }: xdr.Transaction,
): string | undefined {
  const [operation] = operations
  if (!operation || operations.length !== 1) return `there are ${operations.length} operations`
  const { body } = operation
  if (!isAccount(operation.sourceAccount, signer)) return 'it is not the source of the operation'
  if (isAccount(sourceAccount, signer)) return 'it is the source of the transaction'
  if (body.type !== 'invokeHostFunction') return `the operation is ${body.type}`
  const { hostFunction, auth } = body.invokeHostFunctionOp
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') {
    return `the operation is ${hostFunction.type}`
  }
  const call = hostFunction.invokeContract
  const called = Address.fromScAddress(call.contractAddress).toString()
  const name = call.functionName.toString()
  if (called !== contract || name !== functionName) return `the call is ${name} at ${called}`
  const own = auth.filter(({ credentials }) => isOf(credentials, signer))
  const [entry] = own
  if (!entry || own.length !== 1) return `it has ${own.length} authorization entries`
  const { function: authorized, subInvocations } = entry.rootInvocation
  const isThisCall =
    authorized.type === 'sorobanAuthorizedFunctionTypeContractFn' &&
    Buffer.compare(authorized.contractFn.toXdr(), call.toXdr()) === 0
  if (!isThisCall) return 'its authorization is for another call'
  return subInvocations.length > 0 ? 'its authorization covers further calls' : undefined
}

const isAccount = (account: xdr.MuxedAccount | null, { publicKey }: Signer): boolean =>
  account?.type === 'keyTypeEd25519' && Buffer.compare(account.ed25519.toBytes(), publicKey) === 0

/** Whether the credentials are those of the authority, as the source account or by its address. */
function isOf(credentials: xdr.SorobanCredentials, { address }: Signer): boolean {
  switch (credentials.type) {
    case 'sorobanCredentialsSourceAccount':
      return true
    case 'sorobanCredentialsAddress':
      return Address.fromScAddress(credentials.address.address).toString() === address
    case 'sorobanCredentialsAddressV2':
      return Address.fromScAddress(credentials.addressV2.address).toString() === address
    // Delegates (CAP-71) could be the authority; no settlement has them.
    case 'sorobanCredentialsAddressWithDelegates':
      return true
  }
}
