/** What a payer signed, and the calls that can use it. */
import { randomBytes } from 'node:crypto'
import { Address, hash, Operation, xdr } from '@stellar/stellar-sdk'
import { settleArguments } from '../../../../src/payments/schemes/upto/terms.ts'
import { readClientEnvelope } from '../../../../src/stellar/transactions/client-envelope.ts'
import { forwardingConstructorWasm } from '../../../support/forwarder-wasm.ts'
import { i128, invocationOf } from '../../../support/payments.ts'

export const schemes = ['exact', 'upto'] as const
export type Scheme = (typeof schemes)[number]

export interface Held {
  readonly scheme: Scheme
  /** As it came over the wire. */
  readonly payment: { readonly accepted: object; readonly payload: object }
  readonly call: xdr.InvokeContractArgs
  readonly auth: xdr.SorobanAuthorizationEntry
  readonly nonce: bigint
  readonly lastLedger: number
}

/** @param header of the paid call */
export function readHeld(header: string): Held {
  const payment = JSON.parse(Buffer.from(header, 'base64').toString())
  const { payload, accepted } = payment
  const envelope = xdr.TransactionEnvelope.fromXdr(payload.transaction, 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new TypeError(envelope.type)
  const body = envelope.v1.tx.operations[0]?.body
  if (body?.type !== 'invokeHostFunction') throw new TypeError(body?.type)
  const { hostFunction, auth } = body.invokeHostFunctionOp
  const [entry] = auth
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract' || !entry) throw new TypeError()
  const [operation] = readClientEnvelope(payload.transaction).operations
  const [signed] = operation?.invocation?.auth ?? []
  if (!signed || signed.credentials === 'sourceAccount') throw new TypeError('nobody signed')
  const { nonce, expirationLedger: lastLedger } = signed
  const { invokeContract: call } = hostFunction
  return { scheme: accepted.scheme, payment, call, auth: entry, nonce, lastLedger }
}

/** A call that takes what was signed. */
export interface Taking {
  readonly call: xdr.InvokeContractArgs
  /** The payer's. */
  readonly entry: xdr.SorobanAuthorizationEntry
  /** What the source of the operation authorizes, as the authority of a metered price. */
  readonly ofSource: readonly xdr.SorobanAuthorizedInvocation[]
}

/** @param amount of a metered price */
export function takingOf({ scheme, call: signed, auth: entry }: Held, amount: bigint): Taking {
  if (scheme === 'exact') return { call: signed, entry, ofSource: [] }
  const { contractAddress, functionName } = signed
  const args = signed.args.with(settleArguments.indexOf('actual'), i128(amount))
  const call = new xdr.InvokeContractArgs({ contractAddress, functionName, args })
  return { call, entry, ofSource: [invocationOf(call)] }
}

const sourceEntry = (rootInvocation: xdr.SorobanAuthorizedInvocation) =>
  new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation,
  })

/** @param source of the operation. @default that of the transaction */
export function invoke({ call, entry, ofSource }: Taking, source?: string): xdr.Operation {
  const func = xdr.HostFunction.hostFunctionTypeInvokeContract(call)
  return Operation.invokeHostFunction({
    func,
    auth: [entry, ...ofSource.map(sourceEntry)],
    ...(source !== undefined && { source }),
  })
}

/** Contract, function and arguments of what a forwarder calls. */
const forwarded = ({ call }: Taking): xdr.ScVal[] => [
  xdr.ScVal.scvAddress(call.contractAddress),
  xdr.ScVal.scvSymbol(String(call.functionName)),
  xdr.ScVal.scvVec([...call.args]),
]

export const forwardOf = (taking: Taking, forwarder: string): Taking => ({
  ...taking,
  call: new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(forwarder).toScAddress(),
    functionName: 'run',
    args: forwarded(taking),
  }),
})

/** Whoever makes a contract, the source of the operation, pays with the payer's entry beside its own. */
export function constructorOf(taking: Taking, source: string): xdr.Operation {
  const creation = new xdr.CreateContractArgsV2({
    contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(
      new xdr.ContractIdPreimageFromAddress({
        address: Address.fromString(source).toScAddress(),
        salt: randomBytes(32),
      }),
    ),
    executable: xdr.ContractExecutable.contractExecutableWasm(hash(forwardingConstructorWasm())),
    constructorArgs: forwarded(taking),
  })
  const { sorobanAuthorizedFunctionTypeCreateContractV2HostFn: ofCreation } =
    xdr.SorobanAuthorizedFunction
  const own = new xdr.SorobanAuthorizedInvocation({
    function: ofCreation(creation),
    subInvocations: [...taking.ofSource],
  })
  const func = xdr.HostFunction.hostFunctionTypeCreateContractV2(creation)
  return Operation.invokeHostFunction({ func, auth: [sourceEntry(own), taking.entry], source })
}
