import { join } from 'node:path'
import { StrKey } from '@stellar/stellar-sdk'
import { x402Client } from '@x402/core/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../../src/buying/budget/open-payments.ts'
import { payOnceFetch } from '../../../../src/buying/client/pay-once-fetch.ts'
import { payAndCall } from '../../../../src/buying/mcp/payment/pay-and-call.ts'
import { sellers } from '../../../../src/buying/mcp/seller/sellers.ts'
import { walletOf } from '../../../../src/buying/sign/sign-payment.ts'
import { contractSigner } from '../../../../src/buying/signers/contract-signer.ts'
import { ExactAccountScheme } from '../../../../src/buying/signers/exact-scheme.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { type AccountWorld, accountWorld, type Kind, PRICE } from './account-world.ts'

/* Contract accounts buy, with contracts on the real host, a real facilitator, and a seller who can lose answers. */

const network = 'stellar:testnet'
let world: AccountWorld
beforeAll(async () => {
  world = await accountWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const kinds: readonly Kind[] = [
  'ed25519',
  'passkey',
  'rules, ed25519',
  'rules, passkey',
  'rules, delegated',
]

describe('svc pay --account', () => {
  test.each(kinds)('buys with the key of an account of the kind: %s', async (kind) => {
    await using seller = await world.seller()
    const payer = await world.payer(kind)
    const before = await world.balance(payer.account)
    const ran = await world.pay(payer, seller.url)
    expect(ran, ran.err).toMatchObject({ code: 0, lines: [{ paid: true, payer: payer.account }] })
    expect(before - (await world.balance(payer.account))).toBe(PRICE)
  })
})

describe('a payment that the account does not allow', () => {
  test('is not signed with a key that no rule of the account has', async () => {
    await using seller = await world.seller()
    const payer = await world.payer('rules, ed25519')
    const ran = await world.pay({ ...payer, path: world.key('ed25519').path }, seller.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'wrong_key' }] })
    expect(ran.err).toContain(`no rule of the account ${payer.account} lets this key alone call`)
    expect(seller.payments).toEqual([])
    // Nothing is open: the right key pays at once.
    expect(await world.pay(payer, seller.url)).toMatchObject({ code: 0 })
  })

  test('is not signed with a key whose rule has expired', async () => {
    await using seller = await world.seller()
    const payer = await world.payer('rules, expired')
    const ran = await world.pay(payer, seller.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'wrong_key' }] })
    expect(ran.err).toContain(`no rule of the account ${payer.account} lets this key alone call`)
  })

  test('is not signed with a key of another kind', async () => {
    await using seller = await world.seller()
    const payer = await world.payer('ed25519')
    const ran = await world.pay({ ...payer, path: world.key('p256').path }, seller.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'wrong_key' }] })
    expect(ran.err).toContain('takes signatures of ed25519, and the key is of P-256')
  })

  test.each<{ kind: Kind; error: string }>([
    { kind: 'ed25519', error: 'Error(Contract, #2)' },
    { kind: 'passkey', error: 'Error(Crypto, InvalidInput)' },
  ])('is not sent with a wrong key of an account of the kind: $kind', async ({ kind, error }) => {
    await using seller = await world.seller()
    const payer = await world.payer(kind)
    const { path } = world.key(payer.key.algorithm)
    const ran = await world.pay({ ...payer, path }, seller.url)
    expect(ran).toMatchObject({ code: 2, lines: [{ paid: null, error: 'account_refused' }] })
    expect(ran.err).toContain(`the account ${payer.account} refuses the payment with ${error}`)
    expect(seller.payments).toEqual([])
    expect(await world.balance(payer.account)).toBe(100_000_000n)
  })

  test('is not signed when the account is not on the ledger', async () => {
    await using seller = await world.seller()
    const account = StrKey.encodeContract(new Uint8Array(32))
    const ran = await world.pay({ account, path: world.key('ed25519').path }, seller.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'no_account' }] })
    expect(ran.err).toContain(`the payer's account ${account} does not exist`)
  })

  test('is not signed above the limit that the ledger enforces', async () => {
    await using seller = await world.seller()
    const payer = await world.payer('rules, passkey')
    for (let call = 0; call < 2; call++) {
      expect(await world.pay(payer, seller.url)).toMatchObject({ code: 0 })
    }
    const ran = await world.pay(payer, seller.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'policy_refused' }] })
    expect(ran.err).toContain(
      `the policy ${payer.policy} refuses the payment with Error(Contract, #4), in rule 1`,
    )
    expect(seller.payments).toHaveLength(2)
  })

  test('is not sent above the limit of an account that says nothing of its policies', async () => {
    await using seller = await world.seller()
    const payer = await world.payer('policy')
    seller.price = '60000000'
    const ran = await world.pay(payer, seller.url, '10')
    expect(ran).toMatchObject({ code: 2, lines: [{ paid: null, error: 'account_refused' }] })
    expect(ran.err).toContain(`Error(Contract, #2), raised by ${payer.policy}`)
    expect(seller.payments).toEqual([])
  })
})

describe('the payment of a contract account whose answer was lost', () => {
  test('is sent again, and not made again', async () => {
    await using seller = await world.seller()
    const payer = await world.payer('rules, ed25519')
    seller.manner = 'loses'
    expect(await world.pay(payer, seller.url)).toMatchObject({
      code: 2,
      lines: [{ error: 'outcome_unknown' }],
    })
    seller.manner = 'answers'
    expect(await world.pay(payer, seller.url)).toMatchObject({ code: 0, lines: [{ paid: true }] })
    const [first, second] = seller.payments
    expect(second).toBe(first)
    expect(await world.balance(payer.account)).toBe(100_000_000n - PRICE)
  })

  test('is made anew once the ledger shows that it expired unused', async () => {
    await using seller = await world.seller({ maxTimeoutSeconds: 10 })
    const payer = await world.payer('ed25519')
    seller.manner = 'keeps'
    expect(await world.pay(payer, seller.url)).toMatchObject({ code: 2 })
    seller.manner = 'answers'
    for (let n = 0; n < 4; n++) await world.stack.localnet.network.closeLedger()
    const ran = await world.pay(payer, seller.url)
    expect(ran, ran.err).toMatchObject({ code: 0, lines: [{ paid: true }] })
    expect(ran.err).toContain('expired, and the ledger shows that it was not used')
    expect(await world.balance(payer.account)).toBe(100_000_000n - PRICE)
  })
})

test('an agent pays within the limit of its account, and is refused above it within its budget', async () => {
  await using seller = await world.seller()
  const { account, text: secret, policy } = await world.payer('rules, ed25519')
  const wallet = walletOf({ account, secret }, network, world.stack.localnet.rpcUrl)
  await using http = sellers({ reach: 'loopback_too', servers: new Map() })
  using budget = new Budget({
    file: join(world.folder, 'agent.sqlite'),
    limit: 10n * PRICE,
    clock: systemClock,
  })
  await using open = new OpenPayments({ budget, rpcUrl: wallet.rpcUrl })
  const tool = payAndCall({ http, wallet, network, budget, open, clock: systemClock })
  const use = { signal: new AbortController().signal, fenceId: 'f', report: () => {} }
  const call = () => tool.call({ url: seller.url, max: '0.01', method: 'GET' }, use)
  await call()
  await call()
  expect(await world.balance(account)).toBe(100_000_000n - 2n * PRICE)
  await expect(call()).rejects.toMatchObject({ code: 'policy_refused', facts: { paid: false } })
  expect(budget.state()).toMatchObject({ spent: 2n * PRICE, left: 8n * PRICE })
  await expect(call()).rejects.toMatchObject({
    said: { message: expect.stringContaining(String(policy)) },
  })
})

test('a fetch client of the stock packages pays from a contract account', async () => {
  await using seller = await world.seller()
  const { account, key } = await world.payer('passkey')
  const { rpcUrl } = world.stack.localnet
  const signer = contractSigner({ address: account, key, url: rpcUrl })
  const client = new x402Client().register(network, new ExactAccountScheme(signer, { url: rpcUrl }))
  const store = { get: () => undefined, put: () => {}, remove: () => {} }
  const answer = await wrapFetchWithPayment(payOnceFetch(store), client)(seller.url)
  expect(await answer.text()).toBe('sunny')
  expect(await world.balance(account)).toBe(100_000_000n - PRICE)
})
