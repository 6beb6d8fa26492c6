/** Scenarios: ledgers of valid and invalid transactions, each built when it is submitted. */
import { type FeeBumpTransaction, type Transaction, TransactionBuilder } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import type { FaucetRequest } from '../../../../src/localnet/faucet/transaction.ts'
import { build, bytesOf, key, type Op, type PreparedCall, passphrase } from '../harness.ts'
import { actor, actors, actorsIn, contracts, who } from './accounts.ts'
import { type CallPlan, callPlans, payerOf, writeCall } from './calls.ts'
import { operationPlans } from './operation-plans.ts'
import type { OperationPlan } from './operations/operation-plan.ts'
import type { RecordedNetwork } from './recorded-network.ts'
import { oneIn } from './weights.ts'

const flaws = [
  ...['oldSequence', 'sequenceGap', 'unsigned', 'halfSigned', 'wrongSigned', 'extraSigned'],
  ...['expired', 'tooEarly', 'cheap'],
] as const

interface TransactionPlan {
  readonly source: number
  readonly body: readonly OperationPlan[] | CallPlan
  readonly flaw: string | undefined
  readonly bump:
    | { readonly payer: number; readonly rate: number; readonly signed: boolean }
    | undefined
}

export type Step =
  | { readonly do: 'send'; readonly plan: TransactionPlan }
  /** Submits an earlier envelope again. */
  | { readonly do: 'repeat'; readonly which: number }
  | { readonly do: 'faucet'; readonly gift: FaucetRequest }

export type Scenario = readonly (readonly Step[])[]

const bodies = fc.oneof(
  { weight: 6, arbitrary: operationPlans.map((it) => [it]) },
  { weight: 2, arbitrary: fc.array(operationPlans, { minLength: 2, maxLength: 4 }) },
  { weight: 2, arbitrary: callPlans },
)

const plans: fc.Arbitrary<TransactionPlan> = fc.record({
  source: who,
  body: bodies,
  flaw: oneIn(8, fc.constantFrom(...flaws)),
  bump: oneIn(
    4,
    fc.record({
      payer: who,
      rate: fc.constantFrom(100, 100, 200, 5_000),
      signed: fc.constantFrom(true, true, true, false),
    }),
  ),
})

const receivers = [...actors.map((it) => it.publicKey()), ...contracts]

const gifts: fc.Arbitrary<FaucetRequest> = fc.record({
  address: fc.constantFrom(...receivers),
  asset: fc.constantFrom('XLM', 'USDC'),
  amount: fc.constantFrom(1n, 15_000_000n, 200_000_000n),
})

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: fc.constant('send' as const), plan: plans }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('faucet' as const), gift: gifts }) },
)

export const scenarios: fc.Arbitrary<Scenario> = fc.array(
  fc.array(steps, { minLength: 1, maxLength: 10 }),
  { minLength: 1, maxLength: 6 },
)

/** Submits the transaction of a step, or asks the faucet. */
export async function runStep(network: RecordedNetwork, step: Step): Promise<void> {
  switch (step.do) {
    case 'faucet':
      return network.faucet(step.gift)
    case 'repeat': {
      const sent = network.sent
      const again = sent[step.which % Math.max(1, sent.length)]
      if (again) network.submit(again)
      return
    }
    case 'send': {
      const envelope = await write(network, step.plan)
      if (envelope) network.submit(bytesOf(envelope))
    }
  }
}

async function write(
  network: RecordedNetwork,
  plan: TransactionPlan,
): Promise<Transaction | FeeBumpTransaction | undefined> {
  const transaction = isCall(plan.body)
    ? await writeCallTransaction(network, plan, plan.body)
    : writeClassic(network, plan, plan.body)
  return transaction && plan.bump ? bumped(transaction, plan.bump) : transaction
}

const isCall = (body: TransactionPlan['body']): body is CallPlan => 'credentials' in body

function writeClassic(
  network: RecordedNetwork,
  plan: TransactionPlan,
  body: readonly OperationPlan[],
): Transaction {
  const operations = body.flatMap((it) => it.write(network))
  return finish(network, plan, { source: actor(plan.source), operations })
}

async function writeCallTransaction(
  network: RecordedNetwork,
  plan: TransactionPlan,
  body: CallPlan,
): Promise<Transaction | undefined> {
  const source = body.credentials === 'source' ? payerOf(body) : actor(plan.source)
  const call = await writeCall(network, body, source)
  return call && finish(network, plan, { source, operations: [call.operation], call })
}

interface Body {
  readonly source: ReturnType<typeof actor>
  readonly operations: readonly Op[]
  readonly call?: PreparedCall
}

const unrelated = key(99)

function finish(network: RecordedNetwork, { flaw }: TransactionPlan, body: Body): Transaction {
  const { source, operations, call } = body
  const required = [...new Set([source, ...actorsIn(operations)])].slice(0, 20)
  const bySignature = {
    unsigned: [],
    halfSigned: required.slice(1),
    wrongSigned: [unrelated, ...required.slice(1)],
    extraSigned: [...required, unrelated].slice(-20),
  }
  const signers = Object.entries(bySignature).find(([name]) => name === flaw)?.[1] ?? required
  const offsets: Readonly<Record<string, bigint>> = { oldSequence: -1n, sequenceGap: 1n }
  const inclusion = flaw === 'cheap' ? 99 : 100 * operations.length
  return build(network.net, {
    ...body,
    signers,
    fee: (BigInt(inclusion) + (call?.data.resourceFee ?? 0n)).toString(),
    sequenceOffset: offsets[flaw ?? ''] ?? 0n,
    conditions: (builder) => bounded(network, builder, flaw),
  })
}

function bounded(
  { net }: RecordedNetwork,
  builder: TransactionBuilder,
  flaw: string | undefined,
): TransactionBuilder {
  const { closeTime } = net.latest
  const bounds: Readonly<Record<string, readonly [number, number]>> = {
    expired: [0, closeTime - 1],
    tooEarly: [closeTime + 1_000, 0],
  }
  const [from, until] = bounds[flaw ?? ''] ?? [0, 0]
  return builder.setTimebounds(from, until)
}

function bumped(
  transaction: Transaction,
  { payer, rate, signed }: NonNullable<TransactionPlan['bump']>,
): FeeBumpTransaction | Transaction {
  // The SDK refuses a bump below the rate of the inner transaction.
  const least = Number(transaction.fee) / transaction.operations.length
  const bid = Math.max(rate, Math.ceil(least)).toString()
  const outer = TransactionBuilder.buildFeeBumpTransaction(
    actor(payer),
    bid,
    transaction,
    passphrase,
  )
  outer.sign(signed ? actor(payer) : unrelated)
  return outer
}
