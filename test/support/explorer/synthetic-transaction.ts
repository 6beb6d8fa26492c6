/** Transactions as Stellar RPC lists them, made without a network, in forms that the embedded network does not take. */
import {
  Address,
  Asset,
  decodeAddressToMuxedAccount,
  Keypair,
  Networks,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import { envelopeHash } from '../../../src/stellar/rpc/pages/envelope-hash.ts'
import type { RawTransaction } from '../../../src/stellar/rpc/pages/transaction-pages.ts'
import { addressValue, i128, invocationOf } from '../payments.ts'

export const passphrase = Networks.TESTNET
export const asset = new Asset('USDC', Keypair.random().publicKey())
export const contract = asset.contractId(passphrase)
export const [buyer, seller, channel, sponsor] = [1, 2, 3, 4].map(() =>
  Keypair.random().publicKey(),
) as [string, string, string, string]

export interface SyntheticPlan {
  /** `G...` or `M...` */
  readonly source?: string
  readonly opSource?: string
  /** Without one there is no fee bump. */
  readonly feeSource?: string
  readonly memo?: xdr.Memo
  readonly cond?: xdr.Preconditions
  readonly contract?: string
  readonly functionName?: string
  readonly args?: readonly xdr.ScVal[]
  readonly credentials?: readonly xdr.SorobanCredentials[]
  readonly invocation?: (call: xdr.InvokeContractArgs) => xdr.SorobanAuthorizedInvocation
  /** Takes the place of `credentials` and `invocation`. */
  readonly auth?: readonly xdr.SorobanAuthorizationEntry[]
  /** @default the call */
  readonly hostFunction?: xdr.HostFunction
  readonly events?: readonly xdr.ContractEvent[]
  /** Base64, see `metaOf`; an endpoint may leave it out. */
  readonly meta?: string
  readonly result?: xdr.TransactionResultResult
  readonly changes?: Partial<RawTransaction>
}

/** Of every authorization here. */
export const NONCE = -5n

export const credentialsOf = (address = buyer, expiration = 77) =>
  new xdr.SorobanAddressCredentials({
    address: Address.fromString(address).toScAddress(),
    nonce: NONCE,
    signatureExpirationLedger: expiration,
    signature: xdr.ScVal.scvVec([xdr.ScVal.scvBytes(new Uint8Array(7))]),
  })

export const transferEvent = (
  data: xdr.ScVal = i128(100n),
  topics: readonly xdr.ScVal[] = [buyer, seller].map(addressValue),
  emitter = contract,
): xdr.ContractEvent => contractEvent(emitter, 'transfer', topics, data)

/** @param topics behind the name */
export function contractEvent(
  emitter: string,
  name: string,
  topics: readonly xdr.ScVal[],
  data: xdr.ScVal,
): xdr.ContractEvent {
  const address = Address.fromString(emitter).toScAddress()
  if (address.type !== 'scAddressTypeContract') throw new TypeError(emitter)
  return new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: address.contractId,
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(
      new xdr.ContractEventV0({ topics: [xdr.ScVal.scvSymbol(name), ...topics], data }),
    ),
  })
}

export const assetName = xdr.ScVal.scvString(`USDC:${asset.getIssuer()}`)

/** Amount and id of a transfer to a muxed account, after CAP-67. */
export const mapData = (id: xdr.ScVal, amount = 100n): xdr.ScVal =>
  xdr.ScVal.scvMap([
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('amount'), val: i128(amount) }),
    new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol('to_muxed_id'), val: id }),
  ])

export const u64 = (value: bigint): xdr.ScVal => nativeToScVal(value, { type: 'u64' })

/** A payment of 100 units, unless the plan says otherwise. */
export function synthetic(plan: SyntheticPlan = {}): RawTransaction {
  const envelope = envelopeOf(plan)
  const bytes = Buffer.from(envelope.toXdr())
  const events = plan.events ?? [
    transferEvent(i128(100n), [...[buyer, seller].map(addressValue), assetName]),
  ]
  const result = new xdr.TransactionResult({
    feeCharged: 4_321n,
    result: plan.result ?? xdr.TransactionResultResult.txSuccess([]),
    ext: xdr.TransactionResultExt.v0(),
  })
  return {
    status: 'SUCCESS',
    txHash: envelopeHash(bytes, passphrase),
    ledger: 9,
    createdAt: 1_045,
    applicationOrder: 1,
    raw: {
      envelopeXdr: bytes.toString('base64'),
      resultXdr: result.toXdr('base64'),
      ...(plan.meta !== undefined && { resultMetaXdr: plan.meta }),
      events: { contractEventsXdr: [events.map((event) => event.toXdr('base64'))] },
    },
    ...plan.changes,
  }
}

export function envelopeOf(plan: SyntheticPlan = {}): xdr.TransactionEnvelope {
  const { source = channel, feeSource } = plan
  const tx = new xdr.Transaction({
    sourceAccount: decodeAddressToMuxedAccount(source),
    fee: 100,
    seqNum: 1n,
    cond: plan.cond ?? xdr.Preconditions.precondNone(),
    memo: plan.memo ?? xdr.Memo.memoNone(),
    operations: [callOf(plan)],
    ext: xdr.TransactionExt.v0(),
  })
  const inner = new xdr.TransactionV1Envelope({ tx, signatures: [signature(64)] })
  if (feeSource === undefined) return xdr.TransactionEnvelope.envelopeTypeTx(inner)
  const bump = new xdr.FeeBumpTransaction({
    feeSource: decodeAddressToMuxedAccount(feeSource),
    fee: 200n,
    innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(inner),
    ext: xdr.FeeBumpTransactionExt.v0(),
  })
  return xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
    new xdr.FeeBumpTransactionEnvelope({ tx: bump, signatures: [signature(64)] }),
  )
}

const signature = (length: number): xdr.DecoratedSignature =>
  new xdr.DecoratedSignature({ hint: new Uint8Array(4), signature: new Uint8Array(length).fill(7) })

export const invokedBy = (plan: SyntheticPlan = {}): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(plan.contract ?? contract).toScAddress(),
    functionName: plan.functionName ?? 'transfer',
    args: [...(plan.args ?? [...[buyer, seller].map(addressValue), i128(100n)])],
  })

function callOf(plan: SyntheticPlan): xdr.Operation {
  const call = invokedBy(plan)
  const rootInvocation = plan.invocation?.(call) ?? invocationOf(call)
  const { credentials = [xdr.SorobanCredentials.sorobanCredentialsAddress(credentialsOf())] } = plan
  return new xdr.Operation({
    sourceAccount: plan.opSource === undefined ? null : decodeAddressToMuxedAccount(plan.opSource),
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({
        hostFunction: plan.hostFunction ?? xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth: [
          ...(plan.auth ??
            credentials.map(
              (each) => new xdr.SorobanAuthorizationEntry({ credentials: each, rootInvocation }),
            )),
        ],
      }),
    ),
  })
}
