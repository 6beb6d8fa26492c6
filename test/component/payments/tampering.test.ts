import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../support/ledger-view.ts'
import {
  bodyOf,
  draftPayment,
  openWallet,
  type PaymentDraft,
  type PaymentPlan,
  usdc,
  type Wallet,
} from '../../support/payments.ts'
import { lumens } from './cases/ledger.ts'
import { authorizationChanges } from './tampering/authorization-changes.ts'
import { type Change, isHarmless, type Parties } from './tampering/change.ts'
import { envelopeChanges } from './tampering/envelope-changes.ts'
import { requestChanges } from './tampering/request-changes.ts'
import { openWorld, type World } from './world.ts'

/**
 * Changes signed payments in transit: each field in turn, pairs of fields, and whole sets. The service
 * may accept only what the payer signed, to the unit.
 */
const amount = 100_000n
const changes = [...requestChanges, ...envelopeChanges, ...authorizationChanges]

let world: World
let parties: Omit<Parties, 'payer'>
let smartAccount: Wallet
let start: number
/** The transfers that payers signed and the service accepted. */
const accepted: { readonly hash: string; readonly from: string }[] = []

beforeAll(async () => {
  const assets = [usdc, lumens].map((contract) => ({ contract, symbol: 'ANY', decimals: 7 }))
  world = await openWorld({
    network: { assets, channelCount: 19 },
    timings: { channelWaitMs: 60_000, confirmWindowMs: 60_000 },
  })
  const { localnet } = world.stack
  const { sponsor, channel } = world
  const [victim, thief] = [await openWallet(localnet), await openWallet(localnet, 1n)]
  const otherKey = Keypair.random()
  parties = { victim, thief, sponsor, channel, otherAsset: lumens, otherKey }
  smartAccount = await world.deployer.smartAccount()
  start = localnet.network.latest.sequence
})
afterAll(() => world[Symbol.asyncDispose]())

interface Signing {
  readonly payer: () => Wallet
  readonly version: NonNullable<PaymentPlan['version']>
}

/** Describes a wrong answer of the service to the changes; undefined when the answer is right. */
async function tamper(signing: Signing, made: readonly Change[]): Promise<string | undefined> {
  const { stack, seller } = world
  const payer = signing.payer()
  const draft = await draftPayment(stack.localnet, {
    payer,
    payTo: seller.address,
    amount,
    version: signing.version,
    maxTimeoutSeconds: 300,
    // Long enough for all payments of this test, short enough for any estimate of seconds per ledger.
    expirationLedger: stack.localnet.network.latest.sequence + 50,
  })
  const before = fingerprint(draft)
  for (const change of made) change.make(draft, { ...parties, payer })
  const isUndone = fingerprint(draft) === before
  const { body: answer } = await stack.post('/settle', bodyOf(draft))
  const names = made.map(({ name }) => name).join(' + ')
  if (!isUndone && !isHarmless(made)) {
    const isRefused = answer.success === false && answer.transaction === ''
    return isRefused ? undefined : `${names}: ${JSON.stringify(answer)}`
  }
  if (answer.success !== true) return `${names}: ${answer.errorReason}, ${answer.errorMessage}`
  accepted.push({ hash: answer.transaction, from: payer.address })
  const applied = stack.localnet.network.transaction(answer.transaction)
  const signed = { contract: usdc, from: payer.address, to: seller.address, amount }
  const effect = applied ? transfersOf(applied) : []
  return isDeepEqual(effect, [signed]) ? undefined : `${names}: ${String(effect.length)} transfers`
}

/** Equal for equal payments, since one change may undo another. */
const fingerprint = ({ body, transaction, signatures }: PaymentDraft): string =>
  JSON.stringify([body, transaction.toXdr('base64'), signatures.length])

const isDeepEqual = (a: unknown, b: unknown): boolean => {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}

/** Maximum concurrency. */
async function tamperAll(signing: Signing, sets: readonly (readonly Change[])[]) {
  const waiting = [...sets]
  const problems: string[] = []
  const work = async () => {
    for (let made = waiting.pop(); made; made = waiting.pop()) {
      const problem = await tamper(signing, made)
      if (problem) problems.push(problem)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return problems
}

const signings: Record<string, Signing> = {
  'an account with V2 credentials': { payer: () => world.payer, version: 'V2' },
  'an account with V1 credentials': { payer: () => world.payer, version: 'V1' },
  'a smart account with V2 credentials': { payer: () => smartAccount, version: 'V2' },
  'a smart account with V1 credentials': { payer: () => smartAccount, version: 'V1' },
}

const pairsOf = (all: readonly Change[]): (readonly Change[])[] =>
  all.flatMap((first, index) => all.slice(index + 1).map((second) => [first, second]))

const named = (...names: string[]): Change[] =>
  names.map((name) => {
    const change = changes.find((each) => each.name === name)
    if (!change) throw new Error(`no such change: ${name}`)
    return change
  })

/** A consistent forgery: everything but the signature agrees. */
const sets: readonly (readonly Change[])[] = [
  named(
    'requirements: one unit more',
    'accepted: one unit more',
    'call: one unit more',
    'agreed call: one unit more',
  ),
  named(
    'requirements: another recipient',
    'accepted: another recipient',
    'call: another recipient',
    'agreed call: another recipient',
  ),
  named(
    'requirements: another asset',
    'accepted: another asset',
    'call: another contract',
    'agreed call: another contract',
  ),
  named('call: another payer', 'agreed call: another payer', 'authorization: of a victim'),
  named(
    'call: another payer',
    'agreed call: another payer',
    'authorization: of a victim',
    'requirements: another recipient',
    'accepted: another recipient',
    'call: another recipient',
    'agreed call: another recipient',
  ),
]

describe.each(Object.entries(signings))('a payment of %s', (_, signing) => {
  test('is settled as it was signed', async () => {
    expect(await tamper(signing, [])).toBeUndefined()
  })

  test('is settled as it was signed or refused, given any one change', async () => {
    expect(
      await tamperAll(
        signing,
        changes.map((change) => [change]),
      ),
    ).toEqual([])
  })

  test('is refused when everything but the signature was changed consistently', async () => {
    expect(await tamperAll(signing, sets)).toEqual([])
  })
})

test('a payment of an account is settled as signed or refused, given any two changes', async () => {
  const [, signing] = Object.entries(signings)[0] ?? []
  if (!signing) throw new Error('no such signing')
  expect(await tamperAll(signing, pairsOf(changes))).toEqual([])
}, 180_000)

test('a payment of a smart account is refused, given any two changes to what was signed', async () => {
  const signing: Signing = { payer: () => smartAccount, version: 'V2' }
  const signed = [...envelopeChanges, ...authorizationChanges].filter(
    ({ name, harmless }) => !harmless && /^(call|agreed call|authorization)/.test(name),
  )
  expect(await tamperAll(signing, pairsOf(signed))).toEqual([])
}, 180_000)

test('in the end the ledger has the signed transfers and no others', () => {
  const { network } = world.stack.localnet
  const applied = transactionsAfter(network, start)
  const transfers = applied.flatMap(transfersOf)
  expect(new Set(applied.map(({ hash }) => hash))).toEqual(
    new Set(accepted.map(({ hash }) => hash)),
  )
  expect(transfers).toHaveLength(accepted.length)
  const spent = (from: string) =>
    amount * BigInt(accepted.filter((each) => each.from === from).length)
  for (const { address } of [world.payer, smartAccount]) {
    expect(usdcOf(network, address)).toBe(100_000_000n - spent(address))
  }
  expect(usdcOf(network, parties.victim.address)).toBe(100_000_000n)
  expect(usdcOf(network, parties.thief.address)).toBe(1n)
})
