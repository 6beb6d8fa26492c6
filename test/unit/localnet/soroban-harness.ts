/** Contract calls as a facilitator builds them: simulated, signed by the payer, simulated again. */
import {
  Address,
  authorizeEntry,
  Contract,
  type Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import { publicKeyOf } from '../../../src/localnet/ledger/account-id.ts'
import { sha256 } from '../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { idOf, passphrase } from './harness.ts'

export interface PreparedCall {
  readonly operation: xdr.Operation
  readonly data: xdr.SorobanTransactionData
}

export interface Transfer {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** Signs for `from` where it is not the source of the call. */
  readonly payer?: Keypair
  readonly source: Keypair
  readonly asset?: typeof usdc
}

let nonces = 0

/** The call, declaring other instructions or another resource fee. */
export function declaring(
  { operation, data }: PreparedCall,
  changes: { instructions?: number; resourceFee?: bigint },
): PreparedCall {
  const { resources } = data
  const { footprint, diskReadBytes, writeBytes } = resources
  const instructions = changes.instructions ?? resources.instructions
  return {
    operation,
    data: new xdr.SorobanTransactionData({
      ext: data.ext,
      resources: new xdr.SorobanResources({ footprint, instructions, diskReadBytes, writeBytes }),
      resourceFee: changes.resourceFee ?? data.resourceFee,
    }),
  }
}

/** A transfer of the contract of the asset, for a transaction of any source. */
export async function transferCall(net: Localnet, transfer: Transfer): Promise<PreparedCall> {
  const { from, to, amount, payer, source, asset = usdc } = transfer
  const call = new Contract(asset.contractId(passphrase)).call(
    'transfer',
    Address.fromString(from).toScVal(),
    Address.fromString(to).toScVal(),
    nativeToScVal(amount, { type: 'i128' }),
  )
  return await prepare(net, call, { source, ...(payer && { payer }) })
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
