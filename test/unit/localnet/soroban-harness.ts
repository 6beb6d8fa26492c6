/** Contract calls as a facilitator builds them: simulated, signed by the payer, simulated again. */
import {
  Address,
  Asset,
  authorizeEntry,
  Contract,
  type Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import { publicKeyOf } from '../../../src/localnet/ledger/account-id.ts'
import { sha256 } from '../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { idOf, type PreparedCall, passphrase } from './harness.ts'

export interface Transfer {
  /** Signs where it is an account, and not the source of the call. */
  readonly from: Keypair
  readonly to: Keypair | string
  /** In base units. */
  readonly amount: bigint
  readonly source: Keypair
  /** @default XLM */
  readonly asset?: Asset
}

let nonces = 0

type Resources = ConstructorParameters<typeof xdr.SorobanResources>[0]

export interface Declaration extends Partial<Resources> {
  readonly resourceFee?: bigint
  /** Indices into the read-write footprint. */
  readonly restored?: readonly number[]
}

/** The call, declaring other resources or another resource fee. */
export function declaring(
  { operation, data }: PreparedCall,
  { resourceFee = data.resourceFee, restored, ...changes }: Declaration,
): PreparedCall {
  const resources = new xdr.SorobanResources({ ...data.resources, ...changes })
  const ext = restored
    ? xdr.SorobanTransactionDataExt.resourceExt(
        new xdr.SorobanResourcesExtV0({ archivedSorobanEntries: [...restored] }),
      )
    : data.ext
  return { operation, data: new xdr.SorobanTransactionData({ ext, resources, resourceFee }) }
}

export const addressValue = (of: Keypair | string): xdr.ScVal =>
  Address.fromString(typeof of === 'string' ? of : of.publicKey()).toScVal()

/** A transfer of the contract of the asset, for a transaction of any source. */
export function transferCall(net: Localnet, transfer: Transfer): Promise<PreparedCall> {
  const { from, to, amount, source, asset = Asset.native() } = transfer
  const call = new Contract(asset.contractId(passphrase)).call(
    'transfer',
    addressValue(from),
    addressValue(to),
    nativeToScVal(amount, { type: 'i128' }),
  )
  return prepare(net, call, { source, payer: from })
}

export async function prepare(
  net: Localnet,
  call: xdr.Operation,
  { source, payer }: { source: Keypair; payer?: Keypair },
): Promise<PreparedCall> {
  if (call.body.type !== 'invokeHostFunction') throw new TypeError(call.body.type)
  const { hostFunction } = call.body.invokeHostFunctionOp
  const common = {
    ledger: {
      sequence: net.latest.sequence + 1,
      closeTime: net.latest.closeTime + 5,
      networkId: net.networkId,
      baseReserve: 5_000_000,
    },
    hostFunction: hostFunction.toXdr(),
    source: publicKeyOf(idOf(source)).toXdr(),
    // Every call has its own nonce.
    seed: sha256(Buffer.from(`seed ${nonces++}`)),
  }
  const recorded = net.host.simulate({ ...common, mode: 'record' })
  if (!recorded.result.ok) throw new Error(recorded.result.failure.text)
  const auth = await Promise.all(
    recorded.auth.map((entry) => signed(net, xdr.SorobanAuthorizationEntry.fromXdr(entry), payer)),
  )
  const enforced = net.host.simulate({
    ...common,
    mode: 'enforce',
    auth: auth.map((entry) => entry.toXdr()),
  })
  if (!enforced.result.ok) throw new Error(enforced.result.failure.text)
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({ hostFunction, auth }),
    ),
  })
  const data = xdr.SorobanTransactionData.fromXdr(enforced.transactionData ?? new Uint8Array())
  return { operation, data }
}

const LEDGERS_TO_LIVE = 60

function signed(
  net: Localnet,
  entry: xdr.SorobanAuthorizationEntry,
  payer: Keypair | undefined,
): Promise<xdr.SorobanAuthorizationEntry> {
  if (entry.credentials.type === 'sorobanCredentialsSourceAccount' || !payer) {
    return Promise.resolve(entry)
  }
  return authorizeEntry(entry, payer, net.latest.sequence + LEDGERS_TO_LIVE, passphrase)
}
