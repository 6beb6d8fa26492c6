/** Calls of asset contracts with every kind of credentials, some of them with a flaw. */
import {
  Address,
  authorizeEntry,
  Contract,
  type Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { publicKeyOf } from '../../../../src/localnet/ledger/account-id.ts'
import { sha256 } from '../../../../src/localnet/ledger/header.ts'
import type { SimulateInput } from '../../../../src/localnet/soroban/simulate.ts'
import { idOf, type Op, passphrase } from '../harness.ts'
import { actor, actors, anyAsset, asset, assetContracts, contracts, who } from './accounts.ts'
import { amountOf, type Share, share } from './amounts.ts'
import type { RecordedNetwork } from './recorded-network.ts'
import { oneIn } from './weights.ts'

export interface CallPlan {
  readonly name: 'transfer' | 'mint' | 'burn' | 'clawback'
  readonly which: number
  readonly from: number
  /** An index of the actors, followed by the contracts. */
  readonly to: number
  readonly amount: Share
  readonly credentials: 'source' | 'V1' | 'V2'
  readonly flaw: keyof typeof underdeclared | 'authorization' | 'signature' | undefined
}

const names = ['transfer', 'transfer', 'transfer', 'transfer', 'mint', 'burn', 'clawback'] as const

export const callPlans: fc.Arbitrary<CallPlan> = fc.record({
  name: fc.constantFrom(...names),
  which: anyAsset,
  from: who,
  to: fc.oneof(
    who,
    who,
    fc.constantFrom(...contracts.keys()).map((it) => actors.length + it),
  ),
  amount: share,
  credentials: fc.constantFrom('source', 'V1', 'V2'),
  flaw: oneIn(5, fc.constantFrom('instructions', 'fee', 'footprint', 'authorization', 'signature')),
})

export interface WrittenCall {
  readonly operation: Op
  readonly data: xdr.SorobanTransactionData
}

/** Undefined where the simulation fails: a client could not build such a call. */
export async function writeCall(
  network: RecordedNetwork,
  plan: CallPlan,
  source: Keypair,
): Promise<WrittenCall | undefined> {
  const call = invocation(network, plan)
  const input = {
    ledger: nextLedger(network),
    hostFunction: call.toXdr(),
    source: publicKeyOf(idOf(source)).toXdr(),
    seed: sha256(Buffer.from(network.stepId)),
  }
  const recorded = network.net.host.simulate({
    ...input,
    mode: 'record',
    upgradedAuth: plan.credentials === 'V2',
  })
  if (!recorded.result.ok) return undefined
  const auth = await Promise.all(
    recorded.auth.map((entry) =>
      signed(network, xdr.SorobanAuthorizationEntry.fromXdr(entry), payerOf(plan)),
    ),
  )
  const data = enforced(network, input, auth)
  return data && applyFlaw({ auth, call, data }, plan)
}

/** The account that authorizes the call: the issuer where only the contract administrator may call. */
export function payerOf({ name, which, from }: CallPlan): Keypair {
  const issuer = actor(which >= 1 && which <= 3 ? which - 1 : 0)
  return name === 'mint' || name === 'clawback' ? issuer : actor(from)
}

function invocation(network: RecordedNetwork, plan: CallPlan): xdr.HostFunction {
  const payee = plan.to < actors.length ? actor(plan.to) : undefined
  const to = payee?.publicKey() ?? contracts[plan.to - actors.length] ?? ''
  const from = actor(plan.from)
  const units = amountOf(network, plan.amount, { asset: asset(plan.which), from, to: payee })
  const amount = nativeToScVal(units, { type: 'i128' })
  const [sender, receiver] = [from.publicKey(), to].map((it) => Address.fromString(it).toScVal())
  const args = {
    transfer: [sender, receiver, amount],
    mint: [receiver, amount],
    burn: [sender, amount],
    clawback: [sender, amount],
  }
  const contract = new Contract(assetContracts[plan.which] ?? '')
  const { body } = contract.call(plan.name, ...args[plan.name].filter((it) => it !== undefined))
  if (body.type !== 'invokeHostFunction') throw new TypeError(body.type)
  return body.invokeHostFunctionOp.hostFunction
}

const nextLedger = ({ net }: RecordedNetwork) => ({
  sequence: net.latest.sequence + 1,
  closeTime: net.latest.closeTime + 5,
  networkId: net.networkId,
  baseReserve: 5_000_000,
})

const LEDGERS_TO_LIVE = 2

const signed = async (
  { net }: RecordedNetwork,
  entry: xdr.SorobanAuthorizationEntry,
  payer: Keypair,
): Promise<xdr.SorobanAuthorizationEntry> =>
  entry.credentials.type === 'sorobanCredentialsSourceAccount'
    ? entry
    : authorizeEntry(entry, payer, net.latest.sequence + LEDGERS_TO_LIVE, passphrase)

function enforced(
  { net }: RecordedNetwork,
  input: Omit<SimulateInput, 'mode'>,
  entries: readonly xdr.SorobanAuthorizationEntry[],
): xdr.SorobanTransactionData | undefined {
  const auth = entries.map((entry) => entry.toXdr())
  const { transactionData } = net.host.simulate({ ...input, mode: 'enforce', auth })
  return transactionData && xdr.SorobanTransactionData.fromXdr(transactionData)
}

interface Prepared {
  readonly auth: readonly xdr.SorobanAuthorizationEntry[]
  readonly call: xdr.HostFunction
  readonly data: xdr.SorobanTransactionData
}

type Data = xdr.SorobanTransactionData

/** Resources with one declared too low. */
const underdeclared = {
  instructions: ({ ext, resources, resourceFee }: Data): Data =>
    new xdr.SorobanTransactionData({
      ext,
      resourceFee,
      resources: new xdr.SorobanResources({ ...resources, instructions: 10_000 }),
    }),
  fee: ({ ext, resources, resourceFee }: Data): Data =>
    new xdr.SorobanTransactionData({ ext, resources, resourceFee: (resourceFee * 9n) / 10n }),
  footprint: ({ ext, resources, resourceFee }: Data): Data =>
    new xdr.SorobanTransactionData({
      ext,
      resourceFee,
      resources: new xdr.SorobanResources({
        ...resources,
        footprint: new xdr.LedgerFootprint({
          readOnly: resources.footprint.readOnly,
          readWrite: resources.footprint.readWrite.slice(1),
        }),
      }),
    }),
} as const

function applyFlaw({ auth, call, data }: Prepared, { flaw }: CallPlan): WrittenCall {
  const entries = {
    authorization: [],
    signature: auth.map(unsigned),
  }
  const declared =
    flaw === 'instructions' || flaw === 'fee' || flaw === 'footprint'
      ? underdeclared[flaw](data)
      : data
  const given = flaw === 'authorization' || flaw === 'signature' ? entries[flaw] : auth
  const operation = new xdr.Operation({
    sourceAccount: null,
    body: xdr.OperationBody.invokeHostFunction(
      new xdr.InvokeHostFunctionOp({ hostFunction: call, auth: [...given] }),
    ),
  })
  return { operation, data: declared }
}

function unsigned(entry: xdr.SorobanAuthorizationEntry): xdr.SorobanAuthorizationEntry {
  const { credentials, rootInvocation } = entry
  const bare = (from: xdr.SorobanAddressCredentials) =>
    new xdr.SorobanAddressCredentials({ ...from, signature: xdr.ScVal.scvVoid() })
  switch (credentials.type) {
    case 'sorobanCredentialsAddress':
      return new xdr.SorobanAuthorizationEntry({
        rootInvocation,
        credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(bare(credentials.address)),
      })
    case 'sorobanCredentialsAddressV2':
      return new xdr.SorobanAuthorizationEntry({
        rootInvocation,
        credentials: xdr.SorobanCredentials.sorobanCredentialsAddressV2(
          bare(credentials.addressV2),
        ),
      })
    default:
      return entry
  }
}
