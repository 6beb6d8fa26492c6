import { Address, xdr } from '@stellar/stellar-sdk'
import { readContractCall } from '../authorization/auth-entry.ts'
import type { HostInvocation } from '../transactions/client-envelope.ts'
import { i128Value } from '../values/i128-value.ts'

/** The types of arguments that calls of this service have. */
type CallArgument =
  | { readonly type: 'address'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'i128' | 'u32'; readonly value: bigint }

/**
 * A call of a contract (`C...`) without any authorization, for simulation: it reads, or the host records which
 * authorizations it would need.
 */
export function unauthorizedCall(
  contract: string,
  functionName: string,
  args: readonly CallArgument[] = [],
): HostInvocation {
  const call = new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(contract).toScAddress(),
    functionName,
    args: args.map(encoded),
  })
  return {
    functionXdr: xdr.HostFunction.hostFunctionTypeInvokeContract(call).toXdr(),
    auth: [],
    call: readContractCall(call),
  }
}

function encoded(argument: CallArgument): xdr.ScVal {
  switch (argument.type) {
    case 'address':
      return Address.fromString(argument.value).toScVal()
    case 'bytes':
      return xdr.ScVal.scvBytes(argument.value)
    case 'i128':
      return i128Value(argument.value)
    case 'u32':
      return xdr.ScVal.scvU32(Number(argument.value))
  }
}
