import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import { checkPayment } from '../../../src/x402/check-payment.ts'
import { isReasonCode } from '../../../src/x402/reasons.ts'
import { transactionsAfter, transfersOf, usdcOf } from '../../support/ledger-view.ts'
import {
  bodyOf,
  i128,
  openWallet,
  type PaymentDraft,
  usdc,
  type Wallet,
} from '../../support/payments.ts'
import { draftUptoPayment } from '../../support/upto-payments.ts'
import { lumens } from '../payments/cases/ledger.ts'
import { type Change, isHarmless, type Parties } from '../payments/tampering/change.ts'
import { asAuthority, Outsider } from './as-authority.ts'
import { reopened } from './reopened-draft.ts'
import {
  ACTUAL,
  CEILING,
  changes,
  changesOnLedger,
  consistentChanges,
} from './tampering-changes.ts'
import { countSettlements, latest, openUptoWorld, type UptoWorld } from './upto-world.ts'

/**
 * Changes signed payments in the scheme `upto` in transit: each field in turn, and each pair. The service may settle
 * only what the payer signed: the amount of the requirements, within the ceiling, to the recipient.
 */
let world: UptoWorld
let parties: Omit<Parties, 'payer'>
let smartAccount: Wallet
let start: number
let outsider: Outsider
const seller = () => world.seller.address
/** What the ledger took of another sender. */
const unchecked: AppliedTransaction[] = []
/** The payments that payers signed and the service accepted. */
const accepted: { readonly hash: string; readonly amount: bigint }[] = []

beforeAll(async () => {
  const assets = [usdc, lumens].map((contract) => ({ contract, symbol: 'ANY', decimals: 7 }))
  world = await openUptoWorld({
    network: { assets, channelCount: 19 },
    timings: { channelWaitMs: 60_000, confirmWindowMs: 60_000 },
  })
  const { localnet } = world.stack
  const { sponsor, channel } = world
  const [victim, thief] = [await openWallet(localnet), await openWallet(localnet, 1n)]
  parties = { victim, thief, sponsor, channel, otherAsset: lumens, otherKey: Keypair.random() }
  smartAccount = await world.deployer.smartAccount()
  outsider = await Outsider.open(localnet)
  start = latest(world)
})
afterAll(() => world?.[Symbol.asyncDispose]())

function served() {
  const network = world.stack.facilitator.networks.get('stellar:testnet')
  if (!network) throw new Error('the network is not served')
  return network
}

const draftOf = (payer: Wallet): Promise<PaymentDraft> =>
  draftUptoPayment(world.stack.localnet, world.service, {
    payer,
    payTo: seller(),
    ceiling: CEILING,
    amount: ACTUAL,
    maxTimeoutSeconds: 300,
    // Long enough for all payments of this test, short enough for any estimate of seconds per ledger.
    expirationLedger: latest(world) + 50,
  })

/** Equal for equal payments, since one change may undo another. */
const fingerprint = ({ body, transaction, signatures }: PaymentDraft): string =>
  JSON.stringify([body, transaction.toXdr('base64'), signatures.length])

/** Describes a wrong answer of the service to the changes; undefined when the answer is right. */
async function tamper(payer: Wallet, made: readonly Change[]): Promise<string | undefined> {
  const { stack } = world
  const draft = await draftOf(payer)
  const before = fingerprint(draft)
  for (const change of made) change.make(draft, { ...parties, payer })
  const isUndone = fingerprint(draft) === before
  const body = bodyOf(draft)
  const { body: answer } = await stack.post('/settle', body)
  const names = made.map(({ name }) => name).join(' + ')
  if (!isUndone && !isHarmless(made)) {
    const { success, transaction, errorReason } = answer
    const isRefused = success === false && transaction === '' && isReasonCode(errorReason)
    return isRefused ? undefined : `${names}: ${JSON.stringify(answer)}`
  }
  if (answer.success !== true) return `${names}: ${answer.errorReason}, ${answer.errorMessage}`
  const amount = BigInt(String(body.paymentRequirements['amount']))
  accepted.push({ hash: answer.transaction, amount })
  if (answer.amount !== `${amount}`) return `${names}: the answer says ${answer.amount}`
  const applied = stack.localnet.network.transaction(answer.transaction)
  const effect = applied ? transfersOf(applied) : []
  const [only] = effect
  const isAsSigned =
    effect.length === 1 &&
    only?.contract === usdc &&
    only.from === payer.address &&
    only.to === seller() &&
    only.amount === amount
  return isAsSigned ? undefined : `${names}: ${JSON.stringify(effect, (_, v) => String(v))}`
}

/** Describes what the ledger took, although the payer had not signed it; or had, and it was taken already. */
async function settleUnchecked(payer: Wallet, made: readonly Change[]): Promise<string[]> {
  const draft = await draftOf(payer)
  draft.call.args[6] = i128(CEILING)
  for (const change of made) change.make(draft, { ...parties, payer })
  const sent = asAuthority(draft, world.authority)
  const applied = await outsider.send(sent)
  const names = made.map(({ name }) => name).join(' + ')
  if (typeof applied === 'string') {
    return made.length > 0 ? [] : [`refused as signed: ${applied}`]
  }
  unchecked.push(applied)
  const wrong = transfersOf(applied).filter(
    ({ contract, from, to, amount }) =>
      contract !== usdc || from !== payer.address || to !== seller() || amount > CEILING,
  )
  const again = await outsider.send(sent)
  return [
    ...(wrong.length > 0 || transfersOf(applied).length > 1 ? [`${names}: moved more`] : []),
    ...(typeof again === 'string' ? [] : [`${names}: settled twice`]),
  ]
}

/** Maximum concurrency. */
async function tamperAll(payer: Wallet, sets: readonly (readonly Change[])[]) {
  const waiting = [...sets]
  const problems: string[] = []
  const work = async () => {
    for (let made = waiting.pop(); made; made = waiting.pop()) {
      const problem = await tamper(payer, made)
      if (problem) problems.push(problem)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return problems
}

const singly = changes.map((change) => [change])
const pairsOf = (all: readonly Change[]) =>
  all.flatMap((first, index) => all.slice(index + 1).map((second) => [first, second]))

/**
 * The pairs that pass every check which needs no ledger. `/settle` begins with these checks, and without a ledger, a
 * store or a signature they take a tenth of the time: the pairs that they refuse get no further.
 */
async function passingAlone(payer: Wallet, sets: readonly (readonly Change[])[]) {
  const { policy } = served()
  const { body, transaction: signed } = await draftOf(payer)
  const transaction = signed.toXdr()
  const passing = sets.filter((made) => {
    const draft = reopened({ body: structuredClone(body), transaction })
    for (const change of made) change.make(draft, { ...parties, payer })
    return checkPayment(JSON.parse(JSON.stringify(bodyOf(draft))), policy, 'settle').ok
  })
  // None that is settled may be missing.
  expect(passing).toEqual(expect.arrayContaining(sets.filter(isHarmless)))
  return passing
}

describe.each([
  { who: 'an account', payer: () => world.payer },
  { who: 'a smart account', payer: () => smartAccount },
])('a metered payment of $who', ({ payer }) => {
  test('is settled as it was signed or refused, given any one change', async () => {
    expect(await tamperAll(payer(), [[], ...singly])).toEqual([])
  })

  test('is refused when everything but the signature was changed consistently', async () => {
    expect(consistentChanges.length).toBeGreaterThan(10)
    expect(await tamperAll(payer(), consistentChanges)).toEqual([])
  })

  test('is settled by the contract as it was signed or not at all, without any check of ours', async () => {
    const problems: string[] = []
    for (const made of [[], ...changesOnLedger.map((each) => [each]), ...consistentChanges]) {
      problems.push(...(await settleUnchecked(payer(), made)))
    }
    expect(problems).toEqual([])
  })
})

test('a metered payment of an account is settled as signed or refused, given any two changes', async () => {
  const pairs = await passingAlone(world.payer, pairsOf(changes))
  expect(await tamperAll(world.payer, pairs)).toEqual([])
}, 180_000)

test('a metered payment of a smart account is settled as signed or refused, given any two changes to what was signed', async () => {
  const signed = changesOnLedger.filter(({ harmless }) => !harmless)
  const pairs = await passingAlone(smartAccount, pairsOf(signed))
  expect(await tamperAll(smartAccount, pairs)).toEqual([])
}, 180_000)

test('in the end store and ledger have the settlements that were answered and no others', async () => {
  const { stack, payer } = world
  const { network } = stack.localnet
  const others = new Set(unchecked.map(({ hash }) => hash))
  const applied = transactionsAfter(network, start).filter(({ hash }) => !others.has(hash))
  expect(new Set(applied.map(({ hash }) => hash))).toEqual(
    new Set(accepted.map(({ hash }) => hash)),
  )
  expect(applied.flatMap(transfersOf)).toHaveLength(accepted.length)
  expect(await countSettlements(stack)).toBe(accepted.length)
  const paid =
    accepted.reduce((sum, { amount }) => sum + amount, 0n) +
    unchecked.flatMap(transfersOf).reduce((sum, { amount }) => sum + amount, 0n)
  const holdings = [payer, smartAccount].map(({ address }) => usdcOf(network, address) ?? 0n)
  expect(holdings.reduce((sum, each) => sum + each)).toBe(200_000_000n - paid)
  expect(usdcOf(network, seller())).toBe(1n + paid)
  expect(usdcOf(network, parties.victim.address)).toBe(100_000_000n)
  expect(usdcOf(network, parties.thief.address)).toBe(1n)
})
