/** Stories: ledgers full of transactions, right and wrong ones, written as they are submitted. */
import {
  type FeeBumpTransaction,
  type Transaction,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk'
import fc from 'fast-check'
import type { FaucetRequest } from '../../../../src/localnet/faucet/transaction.ts'
import { build, bytesOf, key, type Op, passphrase } from '../harness.ts'
import { type CallPlan, callPlans, payerOf, writeCall } from './calls.ts'
import type { Scene } from './recipes/scene.ts'
import { scenes } from './recipes.ts'
import { seldom } from './seldom.ts'
import { actor, actors, actorsIn, contracts, type Town, who } from './town.ts'

const flaws = [
  ...['oldSequence', 'sequenceGap', 'unsigned', 'halfSigned', 'wrongSigned', 'extraSigned'],
  ...['expired', 'tooEarly', 'cheap'],
] as const

export interface TransactionPlan {
  readonly source: number
  readonly body: readonly Scene[] | CallPlan
  readonly flaw: string | undefined
  readonly bump:
    | { readonly payer: number; readonly rate: number; readonly signed: boolean }
    | undefined
}

export type Act =
  | { readonly do: 'send'; readonly plan: TransactionPlan }
  /** Something that was sent before, once more. */
  | { readonly do: 'repeat'; readonly which: number }
  | { readonly do: 'give'; readonly gift: FaucetRequest }

export type Story = readonly (readonly Act[])[]

const bodies = fc.oneof(
  { weight: 6, arbitrary: scenes.map((scene) => [scene]) },
  { weight: 2, arbitrary: fc.array(scenes, { minLength: 2, maxLength: 4 }) },
  { weight: 2, arbitrary: callPlans },
)

const plans: fc.Arbitrary<TransactionPlan> = fc.record({
  source: who,
  body: bodies,
  flaw: seldom(8, fc.constantFrom(...flaws)),
  bump: seldom(
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

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: fc.constant('send' as const), plan: plans }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give' as const), gift: gifts }) },
)

export const stories: fc.Arbitrary<Story> = fc.array(
  fc.array(acts, { minLength: 1, maxLength: 10 }),
  { minLength: 1, maxLength: 6 },
)

/** Hands one act to the network. */
export async function perform(town: Town, act: Act): Promise<void> {
  switch (act.do) {
    case 'give':
      return town.give(act.gift)
    case 'repeat': {
      const sent = town.sent
      const again = sent[act.which % Math.max(1, sent.length)]
      if (again) town.submit(again)
      return
    }
    case 'send': {
      const envelope = await write(town, act.plan)
      if (envelope) town.submit(bytesOf(envelope))
    }
  }
}

async function write(
  town: Town,
  plan: TransactionPlan,
): Promise<Transaction | FeeBumpTransaction | undefined> {
  const transaction = isCall(plan.body)
    ? await writeCallTransaction(town, plan, plan.body)
    : writeClassic(town, plan, plan.body)
  return transaction && plan.bump ? bumped(transaction, plan.bump) : transaction
}

const isCall = (body: TransactionPlan['body']): body is CallPlan => 'credentials' in body

function writeClassic(town: Town, plan: TransactionPlan, body: readonly Scene[]): Transaction {
  const operations = body.flatMap((scene) => scene.write(town))
  return finish(town, plan, { source: actor(plan.source), operations, resources: undefined })
}

async function writeCallTransaction(
  town: Town,
  plan: TransactionPlan,
  call: CallPlan,
): Promise<Transaction | undefined> {
  const source = call.credentials === 'source' ? payerOf(call) : actor(plan.source)
  const written = await writeCall(town, call, source)
  if (!written) return undefined
  return finish(town, plan, { source, operations: [written.operation], resources: written.data })
}

interface Body {
  readonly source: ReturnType<typeof actor>
  readonly operations: readonly Op[]
  readonly resources: xdr.SorobanTransactionData | undefined
}

const stranger = key(99)

function finish(town: Town, { flaw }: TransactionPlan, body: Body): Transaction {
  const { source, operations, resources } = body
  const rightful = [...new Set([source, ...actorsIn(operations)])].slice(0, 20)
  const spoiled = {
    unsigned: [],
    halfSigned: rightful.slice(1),
    wrongSigned: [stranger, ...rightful.slice(1)],
    extraSigned: [...rightful, stranger].slice(-20),
  }
  const signers = Object.entries(spoiled).find(([name]) => name === flaw)?.[1] ?? rightful
  const offsets: Readonly<Record<string, bigint>> = { oldSequence: -1n, sequenceGap: 1n }
  const inclusion = flaw === 'cheap' ? 99 : 100 * operations.length
  return build(town.net, {
    source,
    operations,
    signers,
    fee: (BigInt(inclusion) + (resources?.resourceFee ?? 0n)).toString(),
    sequenceOffset: offsets[flaw ?? ''] ?? 0n,
    conditions: (builder) => bounded(town, builder, flaw),
    ...(resources && { sorobanData: resources }),
  })
}

function bounded(
  { net }: Town,
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
  // The SDK refuses to write a bump below the rate of what it bumps.
  const least = Number(transaction.fee) / transaction.operations.length
  const wanted = Math.max(rate, Math.ceil(least)).toString()
  const outer = TransactionBuilder.buildFeeBumpTransaction(
    actor(payer),
    wanted,
    transaction,
    passphrase,
  )
  outer.sign(signed ? actor(payer) : stranger)
  return outer
}
