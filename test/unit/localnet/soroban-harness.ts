/** Contract calls as a facilitator builds them: simulated, signed by the payer, simulated again. */
import {
  Address,
  Asset,
  authorizeEntry,
  Contract,
  type Keypair,
  nativeToScVal,
  Operation,
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

interface Preparation {
  readonly source: Keypair
  readonly payer?: Keypair
  readonly upgradedAuth?: boolean
  /** From which nonces derive. @default another one for every call */
  readonly seed?: string
  /** Of the authorization. @default 60 */
  readonly ledgersToLive?: number
}

export async function prepare(
  net: Localnet,
  call: xdr.Operation,
  options: Preparation,
): Promise<PreparedCall> {
  const prepared = await tryToPrepare(net, call, options)
  if ('failure' in prepared) throw new Error(prepared.failure)
  return prepared
}

/** A failed simulation returns its text. */
export async function tryToPrepare(
  net: Localnet,
  call: xdr.Operation,
  {
    source,
    payer,
    upgradedAuth = false,
    seed = `seed ${nonces++}`,
    ledgersToLive = 60,
  }: Preparation,
): Promise<PreparedCall | { readonly failure: string }> {
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
    seed: sha256(Buffer.from(seed)),
  }
  const recorded = net.host.simulate({ ...common, mode: 'record', upgradedAuth })
  if (!recorded.result.ok) return { failure: recorded.result.failure.text }
  const lastLedger = net.latest.sequence + ledgersToLive
  const auth = await Promise.all(
    recorded.auth.map((bytes) => {
      const entry = xdr.SorobanAuthorizationEntry.fromXdr(bytes)
      return entry.credentials.type === 'sorobanCredentialsSourceAccount' || !payer
        ? entry
        : authorizeEntry(entry, payer, lastLedger, passphrase)
    }),
  )
  const enforced = net.host.simulate({
    ...common,
    mode: 'enforce',
    auth: auth.map((entry) => entry.toXdr()),
  })
  if (!enforced.result.ok) return { failure: enforced.result.failure.text }
  const data = xdr.SorobanTransactionData.fromXdr(enforced.transactionData ?? new Uint8Array())
  return { operation: Operation.invokeHostFunction({ func: hostFunction, auth }), data }
}
