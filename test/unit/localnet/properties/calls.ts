/** Calls of asset contracts with every kind of credentials, some of them with a flaw. */
import { Contract, type Keypair, nativeToScVal, Operation, xdr } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import type { Op, PreparedCall } from '../harness.ts'
import { addressValue, type Declaration, declaring, tryToPrepare } from '../soroban-harness.ts'
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

/** Undefined where the simulation fails: a client could not build such a call. */
export async function writeCall(
  network: RecordedNetwork,
  plan: CallPlan,
  source: Keypair,
): Promise<PreparedCall | undefined> {
  const prepared = await tryToPrepare(network.net, invocation(network, plan), {
    source,
    payer: payerOf(plan),
    upgradedAuth: plan.credentials === 'V2',
    seed: network.stepId,
    ledgersToLive: 2,
  })
  return 'failure' in prepared ? undefined : applyFlaw(prepared, plan)
}

/** The account that authorizes the call: the issuer where only the contract administrator may call. */
export function payerOf({ name, which, from }: CallPlan): Keypair {
  const issuer = actor(which >= 1 && which <= 3 ? which - 1 : 0)
  return name === 'mint' || name === 'clawback' ? issuer : actor(from)
}

function invocation(network: RecordedNetwork, plan: CallPlan): Op {
  const payee = plan.to < actors.length ? actor(plan.to) : undefined
  const to = payee?.publicKey() ?? contracts[plan.to - actors.length] ?? ''
  const from = actor(plan.from)
  const units = amountOf(network, plan.amount, { asset: asset(plan.which), from, to: payee })
  const amount = nativeToScVal(units, { type: 'i128' })
  const [sender, receiver] = [addressValue(from), addressValue(to)]
  const args = {
    transfer: [sender, receiver, amount],
    mint: [receiver, amount],
    burn: [sender, amount],
    clawback: [sender, amount],
  }
  const contract = new Contract(assetContracts[plan.which] ?? '')
  return contract.call(plan.name, ...args[plan.name])
}

/** One resource declared too low. */
const underdeclared = {
  instructions: (): Declaration => ({ instructions: 10_000 }),
  fee: ({ resourceFee }: Data): Declaration => ({ resourceFee: (resourceFee * 9n) / 10n }),
  footprint: ({ resources: { footprint } }: Data): Declaration => ({
    footprint: new xdr.LedgerFootprint({
      readOnly: footprint.readOnly,
      readWrite: footprint.readWrite.slice(1),
    }),
  }),
} as const

type Data = xdr.SorobanTransactionData

function applyFlaw(call: PreparedCall, { flaw }: CallPlan): PreparedCall {
  switch (flaw) {
    case undefined:
      return call
    case 'authorization':
      return withAuth(call, () => [])
    case 'signature':
      return withAuth(call, (auth) => auth.map(unsigned))
    default:
      return declaring(call, underdeclared[flaw](call.data))
  }
}

type Auth = xdr.SorobanAuthorizationEntry

function withAuth(
  { operation: { body }, data }: PreparedCall,
  change: (auth: readonly Auth[]) => Auth[],
): PreparedCall {
  if (body.type !== 'invokeHostFunction') throw new TypeError(body.type)
  const { hostFunction: func, auth } = body.invokeHostFunctionOp
  return { operation: Operation.invokeHostFunction({ func, auth: change(auth) }), data }
}

function unsigned({ credentials, rootInvocation }: Auth): Auth {
  const bare = (from: xdr.SorobanAddressCredentials) =>
    new xdr.SorobanAddressCredentials({ ...from, signature: xdr.ScVal.scvVoid() })
  const { SorobanCredentials: Credentials } = xdr
  const without =
    credentials.type === 'sorobanCredentialsAddress'
      ? Credentials.sorobanCredentialsAddress(bare(credentials.address))
      : credentials.type === 'sorobanCredentialsAddressV2'
        ? Credentials.sorobanCredentialsAddressV2(bare(credentials.addressV2))
        : credentials
  return new xdr.SorobanAuthorizationEntry({ rootInvocation, credentials: without })
}
