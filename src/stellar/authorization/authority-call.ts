/**
 * A call that an authority of ours settles: its account is the source of the operation, so that the signature of the
 * transaction authorizes the call, and that authorization is not valid in another transaction.
 */
import { xdr } from '@stellar/stellar-sdk'
import type { HostInvocation } from '../transactions/client-envelope.ts'
import { i128Value } from '../values/i128-value.ts'
import { readAuthEntry, readContractCall } from './auth-entry.ts'

/** The one argument that the facilitator sets. */
export interface SettledAmount {
  /** Index of the argument. */
  readonly amountArgument: number
  readonly amount: bigint
}

/**
 * The invocation that settles the amount: that of the payer's client, with the amount as argument, and after its entries
 * the one of the source account, for the whole call and nothing below it. Throws unless it is a call of a contract.
 */
export function settleAsAuthority(
  { functionXdr, auth }: HostInvocation,
  { amountArgument, amount }: SettledAmount,
): HostInvocation {
  const received = calledIn(xdr.HostFunction.fromXdr(functionXdr))
  const { contractAddress, functionName } = received
  const args = received.args.with(amountArgument, i128Value(amount))
  const call = new xdr.InvokeContractArgs({ contractAddress, functionName, args })
  const entry = new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
      subInvocations: [],
    }),
  })
  return {
    functionXdr: xdr.HostFunction.hostFunctionTypeInvokeContract(call).toXdr(),
    auth: [...auth, readAuthEntry(entry)],
    call: readContractCall(call),
  }
}

/** The invocation that the payer's client sent, and the index of the one argument that we may set. */
export interface ReceivedCall {
  readonly received: HostInvocation
  readonly amountArgument: number
}

/**
 * Throws unless the operation calls what the client's does, with other bytes in that argument alone, and has the
 * entries of the client byte for byte, and after them one of the source account.
 */
export function assertOnlyAmountDiffers(
  built: xdr.InvokeHostFunctionOp,
  { received, amountArgument }: ReceivedCall,
): void {
  const before = calledIn(xdr.HostFunction.fromXdr(received.functionXdr))
  const after = calledIn(built.hostFunction)
  const isSameCall =
    sameBytes(before.contractAddress.toXdr(), after.contractAddress.toXdr()) &&
    before.functionName.toString() === after.functionName.toString() &&
    before.args.length === after.args.length &&
    before.args.every(
      (arg, index) =>
        index === amountArgument ||
        sameBytes(arg.toXdr(), after.args[index]?.toXdr() ?? new Uint8Array()),
    )
  const isSameAuth =
    built.auth.length === received.auth.length + 1 &&
    received.auth.every(({ xdr: bytes }, index) =>
      sameBytes(bytes, built.auth[index]?.toXdr() ?? new Uint8Array()),
    )
  const isOurs = built.auth.at(-1)?.credentials.type === 'sorobanCredentialsSourceAccount'
  if (!isSameCall || !isSameAuth || !isOurs) {
    throw new Error('the rebuilt operation differs from the one the payer signed')
  }
}

function calledIn(hostFunction: xdr.HostFunction): xdr.InvokeContractArgs {
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract') {
    throw new Error(`expected a call of a contract, not ${hostFunction.type}`)
  }
  return hostFunction.invokeContract
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
