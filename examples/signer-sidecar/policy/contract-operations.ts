/** Contract operations: calls that settle, and code and contracts where the configuration allows them. */
import { Address, type xdr } from '@stellar/stellar-sdk'
import type { Part, Place } from './part.ts'
import { refuse } from './refusal.ts'

export function invokeHostFunction(
  { hostFunction, auth }: xdr.InvokeHostFunctionOp,
  place: Place,
): Part {
  if (auth.some(({ credentials }) => isSignedBy(credentials, place.sponsor))) {
    refuse('sponsor_auth', 'an authorization entry is of the sponsor')
  }
  switch (hostFunction.type) {
    case 'hostFunctionTypeInvokeContract':
      return call(place)
    case 'hostFunctionTypeUploadContractWasm':
      assertMayDeploy(place)
      if (auth.length > 0) refuse('sponsor_auth', 'an upload has authorization entries')
      return { kind: 'deploy' }
    case 'hostFunctionTypeCreateContract':
      assertMayDeploy(place)
      return creation(hostFunction.createContract, auth, place)
    case 'hostFunctionTypeCreateContractV2':
      // Its constructor gets arguments, and may do anything.
      return refuse('contract_call', 'the contract has a constructor with arguments')
  }
}

/**
 * As `buildSettlement` builds it, for a fee bump. Were the sponsor the source of the operation, an entry with the credentials of the
 * source account would authorize whatever the call wants of it: its tokens, for example.
 */
function call({ sponsor, step, txSource }: Place): Part {
  if (step.source === sponsor || txSource === sponsor) {
    refuse('operation_source', 'the sponsor is the source of a call of a contract')
  }
  return { kind: 'call' }
}

/** As `contractWorkEnvelope` builds it: the sponsor authorizes the creation and nothing below it, such as calls of a constructor. */
function creation(
  args: xdr.CreateContractArgs,
  auth: readonly xdr.SorobanAuthorizationEntry[],
  { sponsor, step }: Place,
): Part {
  const { contractIdPreimage: preimage, executable } = args
  if (step.source !== sponsor) refuse('operation_source', `${step.source} creates the contract`)
  const isOurs =
    preimage.type === 'contractIdPreimageFromAddress' &&
    Address.fromScAddress(preimage.fromAddress.address).toString() === sponsor
  if (!isOurs)
    refuse('contract_call', 'the contract is not created from the address of the sponsor')
  if (executable.type !== 'contractExecutableWasm')
    refuse('contract_call', 'the contract has no code')
  const [entry] = auth
  const { function: authorized, subInvocations = [] } = entry?.rootInvocation ?? {}
  const isThis =
    auth.length === 1 &&
    entry?.credentials.type === 'sorobanCredentialsSourceAccount' &&
    authorized?.type === 'sorobanAuthorizedFunctionTypeCreateContractHostFn' &&
    authorized.createContractHostFn.toXdr('base64') === args.toXdr('base64')
  if (!isThis) refuse('sponsor_auth', 'the sponsor authorizes something else than this contract')
  if (subInvocations.length > 0)
    refuse('sponsor_auth', 'the sponsor authorizes calls of the contract')
  return { kind: 'deploy' }
}

/** As `contractWorkEnvelope` builds it. Both only change how long entries live, for a fee. */
export function footprint({ step }: Place): Part {
  if (step.operation.sourceAccount !== null) {
    refuse('operation_source', 'the operation has a source of its own')
  }
  return { kind: 'footprint' }
}

function assertMayDeploy({ policy }: Place): void {
  if (!policy.allowContractDeploy) refuse('contract_deploy', 'allowContractDeploy is not set')
}

/** Whether the entry names the sponsor as its signer, or as one to whom the signer delegates (CAP-71). */
function isSignedBy(credentials: xdr.SorobanCredentials, sponsor: string): boolean {
  const isSponsor = (address: xdr.ScAddress) =>
    Address.fromScAddress(address).toString() === sponsor
  const delegatesTo = (delegate: xdr.SorobanDelegateSignature): boolean =>
    isSponsor(delegate.address) || delegate.nestedDelegates.some(delegatesTo)
  switch (credentials.type) {
    // The source of the operation signs the transaction itself.
    case 'sorobanCredentialsSourceAccount':
      return false
    case 'sorobanCredentialsAddress':
      return isSponsor(credentials.address.address)
    case 'sorobanCredentialsAddressV2':
      return isSponsor(credentials.addressV2.address)
    case 'sorobanCredentialsAddressWithDelegates': {
      const { addressCredentials, delegates } = credentials.addressWithDelegates
      return isSponsor(addressCredentials.address) || delegates.some(delegatesTo)
    }
  }
}
