/**
 * Soroban authorization entries: which address authorizes which call, until which ledger. Credentials
 * come in the original form and, since CAP-71, in a form whose signature also binds the address.
 */
import { buildAuthorizationEntryPreimage, hash, xdr } from '@stellar/stellar-sdk'
import { readAddress, readScValue } from '../values/read-sc-value.ts'
import type { ScValue } from '../values/sc-value.ts'

export type AuthEntry = SourceAccountEntry | AddressEntry

/** A call that an entry authorizes, with the calls that it may make under the same authorization. */
export interface AuthorizedCall {
  /** Absent for the creation of a contract. */
  readonly call?: ContractCall
  readonly subInvocations: readonly AuthorizedCall[]
}

interface AuthorizedInvocation extends AuthorizedCall {
  /** XDR `SorobanAuthorizationEntry`. */
  readonly xdr: Uint8Array
}

/** Authorized by the signature of the transaction's source account. */
interface SourceAccountEntry extends AuthorizedInvocation {
  readonly credentials: 'sourceAccount'
}

export interface AddressEntry extends AuthorizedInvocation {
  readonly credentials: 'address' | 'addressV2' | 'addressWithDelegates'
  /** Strkey, `G...` or `C...`. */
  readonly address: string
  /** Signed 64 bits; the ledger accepts each one once per address. */
  readonly nonce: bigint
  /** The last ledger in which the entry is valid. */
  readonly expirationLedger: number
  readonly signature: ScValue
}

export interface ContractCall {
  /** Strkey of the called contract. */
  readonly contract: string
  readonly functionName: string
  readonly args: readonly ScValue[]
  /** XDR `InvokeContractArgs`: equal bytes, equal call. */
  readonly xdr: Uint8Array
}

export function readAuthEntry(entry: xdr.SorobanAuthorizationEntry): AuthEntry {
  const invocation: AuthorizedInvocation = {
    xdr: entry.toXdr(),
    ...readAuthorizedCall(entry.rootInvocation),
  }
  const signed = addressCredentials(entry.credentials)
  const form = forms[entry.credentials.type]
  if (!signed || form === 'sourceAccount') return { ...invocation, credentials: 'sourceAccount' }
  return { ...invocation, credentials: form, ...signer(signed) }
}

const forms = {
  sorobanCredentialsSourceAccount: 'sourceAccount',
  sorobanCredentialsAddress: 'address',
  sorobanCredentialsAddressV2: 'addressV2',
  sorobanCredentialsAddressWithDelegates: 'addressWithDelegates',
} as const

/** Undefined where the signature of the transaction's source account authorizes. */
export function addressCredentials(
  credentials: xdr.SorobanCredentials,
): xdr.SorobanAddressCredentials | undefined {
  switch (credentials.type) {
    case 'sorobanCredentialsSourceAccount':
      return undefined
    case 'sorobanCredentialsAddress':
      return credentials.address
    case 'sorobanCredentialsAddressV2':
      return credentials.addressV2
    case 'sorobanCredentialsAddressWithDelegates':
      return credentials.addressWithDelegates.addressCredentials
  }
}

export const readAuthorizedCall = ({
  function: invoked,
  subInvocations,
}: xdr.SorobanAuthorizedInvocation): AuthorizedCall => ({
  ...(invoked.type === 'sorobanAuthorizedFunctionTypeContractFn' && {
    call: readContractCall(invoked.contractFn),
  }),
  subInvocations: subInvocations.map(readAuthorizedCall),
})

const signer = (credentials: xdr.SorobanAddressCredentials) => ({
  address: readAddress(credentials.address),
  nonce: credentials.nonce,
  expirationLedger: credentials.signatureExpirationLedger,
  signature: readScValue(credentials.signature),
})

export function readContractCall(args: xdr.InvokeContractArgs): ContractCall {
  return {
    contract: readAddress(args.contractAddress),
    functionName: args.functionName.toString(),
    args: args.args.map(readScValue),
    xdr: args.toXdr(),
  }
}

/**
 * The 32 bytes that an address signs to authorize the entry on one network: SHA-256 of its
 * `HashIDPreimage`, with the address in it for the newer credentials.
 */
export function signaturePayload(entry: AddressEntry, passphrase: string): Uint8Array {
  const decoded = xdr.SorobanAuthorizationEntry.fromXdr(entry.xdr)
  return hash(buildAuthorizationEntryPreimage(decoded, entry.expirationLedger, passphrase).toXdr())
}
