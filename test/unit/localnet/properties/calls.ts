/** Calls of asset contracts, authorized in every way there is, and spoiled in some. */
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
import { amountOf, type Share, share } from './amounts.ts'
import { seldom } from './seldom.ts'
import {
  actor,
  actors,
  anyAsset,
  asset,
  assetContracts,
  contracts,
  type Town,
  who,
} from './town.ts'

export interface CallPlan {
  readonly name: 'transfer' | 'mint' | 'burn' | 'clawback'
  readonly which: number
  readonly from: number
  /** Past the actors come the contracts. */
  readonly to: number
  readonly amount: Share
  readonly credentials: 'source' | 'V1' | 'V2'
  readonly spoiled: keyof typeof spoilings | 'authorization' | 'signature' | undefined
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
  spoiled: seldom(
    5,
    fc.constantFrom('instructions', 'fee', 'footprint', 'authorization', 'signature'),
  ),
})

export interface WrittenCall {
  readonly operation: Op
  readonly data: xdr.SorobanTransactionData
}

/** Undefined where the host itself refuses to simulate: nobody could send such a call. */
export async function writeCall(
  town: Town,
  plan: CallPlan,
  source: Keypair,
): Promise<WrittenCall | undefined> {
  const call = invocation(town, plan)
  const input = {
    ledger: nextLedger(town),
    hostFunction: call.toXdr(),
    source: publicKeyOf(idOf(source)).toXdr(),
    seed: sha256(Buffer.from(town.moment)),
  }
  const recorded = town.net.host.simulate({
    ...input,
    mode: 'record',
    upgradedAuth: plan.credentials === 'V2',
  })
  if (!recorded.result.ok) return undefined
  const auth = await Promise.all(
    recorded.auth.map((entry) =>
      signed(town, xdr.SorobanAuthorizationEntry.fromXdr(entry), payerOf(plan)),
    ),
  )
  const data = enforced(town, input, auth)
  return data && spoil({ auth, call, data }, plan)
}

/** Whose agreement a call needs: the issuer's where it is the administrator's to make. */
export function payerOf({ name, which, from }: CallPlan): Keypair {
  const issuer = actor(which >= 1 && which <= 3 ? which - 1 : 0)
  return name === 'mint' || name === 'clawback' ? issuer : actor(from)
}

function invocation(town: Town, plan: CallPlan): xdr.HostFunction {
  const payee = plan.to < actors.length ? actor(plan.to) : undefined
  const to = payee?.publicKey() ?? contracts[plan.to - actors.length] ?? ''
  const from = actor(plan.from)
  const units = amountOf(town, plan.amount, { asset: asset(plan.which), from, to: payee })
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

const nextLedger = ({ net }: Town) => ({
  sequence: net.latest.sequence + 1,
  closeTime: net.latest.closeTime + 5,
  networkId: net.networkId,
  baseReserve: 5_000_000,
})

const LEDGERS_TO_LIVE = 2

const signed = async (
  { net }: Town,
  entry: xdr.SorobanAuthorizationEntry,
  payer: Keypair,
): Promise<xdr.SorobanAuthorizationEntry> =>
  entry.credentials.type === 'sorobanCredentialsSourceAccount'
    ? entry
    : authorizeEntry(entry, payer, net.latest.sequence + LEDGERS_TO_LIVE, passphrase)

function enforced(
  { net }: Town,
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

/** Ways to declare too little. */
const spoilings = {
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

function spoil({ auth, call, data }: Prepared, { spoiled }: CallPlan): WrittenCall {
  const entries = {
    authorization: [],
    signature: auth.map(unsigned),
  }
  const declared =
    spoiled === 'instructions' || spoiled === 'fee' || spoiled === 'footprint'
      ? spoilings[spoiled](data)
      : data
  const given = spoiled === 'authorization' || spoiled === 'signature' ? entries[spoiled] : auth
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
