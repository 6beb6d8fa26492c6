import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passphrases, usdcContracts } from '../../../src/core/caip2.ts'
import { type LocalnetServer, startLocalnet } from '../../../src/localnet/server.ts'
import { uptoContract } from '../../../src/localnet/upto-contract.ts'
import { fundedAccounts } from '../../support/funded.ts'
import { PromptLocalnet } from '../../support/prompt-localnet.ts'
import { type Ran, run, type Variables } from './admin-world.ts'
import { type Answer, answers, asksFor, offer, paidServer, settled } from './paid-server.ts'
import { hangUp, html, redirect, version1 } from './unpayable-answers.ts'

/* `svc pay URL` on the real embedded network, with sellers that answer what a test wants. */

let localnet: LocalnetServer
let folder: string
let [buyer, poor, bare, seller] = [] as unknown as Keypair[]
const stranger = Keypair.random()

beforeAll(async () => {
  const network = new PromptLocalnet({})
  localnet = await startLocalnet({ network, closeEveryMs: 'manual', tls: true, tlsPort: 0 })
  ;[buyer, poor, bare, seller] = await fundedAccounts(network, [
    { usdc: 5n },
    { usdc: 0n },
    {},
    { usdc: 1n },
  ])
  folder = await mkdtemp(join(tmpdir(), 'svc-pay-'))
}, 60_000)

afterAll(async () => {
  await localnet?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const env = (changes: Variables = {}): Variables => ({
  PATH: process.env['PATH'],
  BUYER_SECRET: buyer!.secret(),
  NODE_EXTRA_CA_CERTS: localnet.caFile,
  ...changes,
})

interface Attempt {
  readonly url: string
  readonly args?: readonly string[]
  readonly changes?: Variables
}

/** With `--json`; checks what holds for every failure. */
async function attempt({ url, args = [], changes = {} }: Attempt): Promise<Ran> {
  const variables = env(changes)
  const rpc = args.includes('--rpc') ? [] : ['--rpc', localnet.rpcUrl]
  const ran = await run(variables, 'pay', url, ...rpc, '--json', ...args)
  for (const secret of [buyer, poor, bare, stranger].map((key) => key!.secret())) {
    expect(ran.out + ran.err).not.toContain(secret)
  }
  expect(ran.err).not.toMatch(/^\s+at /m)
  expect(ran.out).toMatch(/^\{.*\}\n$/)
  return ran
}

const price: () => Answer = () => asksFor(offer(seller!.publicKey()))

const testnet = passphrases['stellar:testnet']

/** A metered price with a ceiling of 0.5 USDC. */
const metered = (changes: object = {}, extra: object = {}) =>
  asksFor(
    offer(seller!.publicKey(), {
      scheme: 'upto',
      amount: '5000000',
      extra: {
        areFeesSponsored: true,
        profile: 'authority-v1',
        uptoContract: uptoContract(testnet),
        authority: stranger.publicKey(),
        ...extra,
      },
      ...changes,
    }),
  )

describe('a call that is paid', () => {
  test('prints the answer and the transaction', async () => {
    await using server = await paidServer(price(), answers(200, settled))
    const ran = await run(env(), 'pay', server.url, '--rpc', localnet.rpcUrl)
    expect(ran).toMatchObject({ code: 0, err: '', out: `sunny\n${settled.transaction}\n` })
  })

  test('sends method, headers and body, and is JSON on demand', async () => {
    await using server = await paidServer(price(), answers(201, settled, 'made'))
    const args = [
      '--method',
      'put',
      '--body',
      '{"a":1}',
      '--header',
      'X-A: 1',
      '--header',
      'X-B: 2: 3',
    ]
    const ran = await attempt({ url: server.url, args: [...args, '--max-amount', '0.01'] })
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.lines).toMatchObject([
      {
        paid: true,
        method: 'PUT',
        status: 201,
        body: 'made',
        payer: buyer!.publicKey(),
        settlement: settled,
      },
    ])
    expect(server.paid).toMatchObject([
      {
        method: 'PUT',
        body: '{"a":1}',
        headers: { 'x-a': '1', 'x-b': '2: 3', 'content-type': 'application/json' },
      },
    ])
  })

  test('prints ceiling and use of a metered call', async () => {
    const used = { ...settled, amount: '1230000' }
    await using server = await paidServer(metered(), answers(200, used))
    const args = ['pay', server.url, '--rpc', localnet.rpcUrl, '--max', '0.5']
    expect(await run(env(), ...args)).toMatchObject({
      code: 0,
      err: '',
      out: `sunny\nceiling 0.5 USDC, used and paid 0.123 USDC\n${settled.transaction}\n`,
    })
    expect((await run(env(), ...args, '--json')).lines).toMatchObject([
      { paid: true, metered: { ceiling: '5000000', used: '1230000' } },
    ])
    const sent: unknown = Object(server.paid[0]?.headers)['payment-signature']
    const payment = JSON.parse(Buffer.from(String(sent), 'base64').toString())
    expect(payment.payload).toMatchObject({ maxAmount: '5000000' })
  })

  test('takes the seed from a file', async () => {
    const file = join(folder, 'seed')
    await writeFile(file, `${buyer!.secret()}\n`)
    await using server = await paidServer(price(), answers(200, settled))
    const changes = { BUYER_SECRET: undefined, BUYER_SECRET_FILE: file }
    expect(await attempt({ url: server.url, changes })).toMatchObject({ code: 0 })
  })
})

interface Failing {
  readonly when: string
  readonly first?: () => Answer
  readonly paidAnswer?: Answer
  readonly args?: readonly string[]
  readonly changes?: () => Variables
  readonly exit?: number
  readonly paid?: boolean | null
  readonly error: string
  readonly says: RegExp
  /** What to do, where the case checks that. */
  readonly hint?: RegExp
  /** Whether a signed payment reached the seller. @default not */
  readonly isSent?: boolean
}

const by = (key: () => Keypair | undefined) => () => ({ BUYER_SECRET: key()!.secret() })

const cases: readonly Failing[] = [
  {
    when: 'the seed is none',
    changes: () => ({ BUYER_SECRET: 'SECRET' }),
    exit: 78,
    error: 'bad_seed',
    says: /^BUYER_SECRET holds no secret seed/,
  },
  {
    when: 'the seed is a public key',
    changes: () => ({ BUYER_SECRET: stranger.publicKey() }),
    exit: 78,
    error: 'bad_seed',
    says: /^BUYER_SECRET holds no secret seed/,
  },
  {
    when: 'there is no seed',
    changes: () => ({ BUYER_SECRET: undefined }),
    exit: 78,
    error: 'bad_seed',
    says: /^BUYER_SECRET must hold/,
  },
  {
    when: 'the seed is given twice',
    changes: () => ({ BUYER_SECRET_FILE: '/nowhere' }),
    exit: 78,
    error: 'bad_seed',
    says: /^BUYER_SECRET and BUYER_SECRET_FILE are both set: unset one of them$/,
    hint: /^Set either BUYER_SECRET, or BUYER_SECRET_FILE/,
  },
  {
    when: 'the API is free',
    first: () => answers(200),
    error: 'no_price',
    says: /answered 200 and asked for no payment$/,
  },
  { when: 'the URL is a page', first: () => html, error: 'no_price', says: /200 \(text\/html\)/ },
  { when: 'nothing is there', first: () => answers(404), error: 'no_price', says: /answered 404/ },
  {
    when: 'the URL redirects',
    first: () => redirect,
    error: 'redirected',
    says: /redirects to https:\/\/elsewhere\.example\/$/,
  },
  {
    when: 'the connection breaks',
    first: () => hangUp,
    error: 'unreachable',
    says: /did not complete its answer/,
    hint: /^Nothing was paid\. Check the address/,
  },
  {
    when: 'the 402 has no price',
    first: () => answers(402),
    error: 'not_payable',
    says: /402 without a price/,
  },
  {
    when: 'the 402 is of x402 version 1',
    first: () => version1,
    error: 'not_payable',
    says: /x402 version 1, and this client pays version 2/,
  },
  {
    when: 'the 402 is for another network',
    first: () => asksFor(offer(seller!.publicKey(), { network: 'eip155:8453' })),
    error: 'not_payable',
    says: /offers exact on eip155:8453, and this client pays exact and upto on stellar:testnet/,
  },
  {
    when: 'the price is above the limit',
    args: ['--max', '0.009'],
    error: 'too_expensive',
    says: /^the price is 0\.01 USDC, and --max is 0\.009 USDC$/,
    hint: /^Nothing was paid\. If you accept the price, give a higher --max in USDC/,
  },
  {
    when: 'the ceiling is above the limit',
    first: () => metered(),
    args: ['--max', '0.49'],
    error: 'too_expensive',
    says: /^the ceiling is 0\.5 USDC, and --max is 0\.49 USDC$/,
    hint: /^Nothing was paid\. If you accept the ceiling, give a higher --max/,
  },
  {
    when: 'the ceiling is above 1 USDC, and nothing names a limit',
    first: () => metered({ amount: '10000001' }),
    error: 'too_expensive',
    says: /^the ceiling is 1\.0000001 USDC, and without --max it may be 1 USDC$/,
  },
  {
    when: 'the settlement contract runs other code',
    first: () => metered({}, { uptoContract: usdcContracts['stellar:testnet'] }),
    error: 'not_payable',
    says: /refuses: the settlement contract C\w{55} is built into the network, so nothing proves/,
    hint: /^Nothing was paid\.$/,
  },
  {
    when: 'the metered price is of another profile',
    first: () => metered({}, { profile: 'stateless' }),
    error: 'not_payable',
    says: /refuses: the offer is not of the profile authority-v1: extra\.profile/,
  },
  {
    when: 'the payer has no account',
    changes: by(() => stranger),
    error: 'no_account',
    says: /account G\w{55} does not exist on stellar:testnet$/,
  },
  {
    when: 'the payer has no trustline',
    changes: by(() => bare),
    error: 'no_trustline',
    says: /account G\w{55} has no trustline to USDC$/,
  },
  {
    when: 'the payer has too little',
    changes: by(() => poor),
    error: 'too_little',
    says: /^the price is 0\.01 USDC, and the payer G\w{55} has 0\.0000001 USDC$/,
  },
  {
    when: 'the seller has no trustline',
    first: () => asksFor(offer(bare!.publicKey())),
    error: 'seller_cannot_receive',
    says: /seller's account G\w{55} has no trustline to USDC/,
  },
  {
    when: 'the payment has no sponsor',
    first: () => asksFor(offer(seller!.publicKey(), { extra: {} })),
    error: 'not_signed',
    says: /areFeesSponsored/,
  },
  {
    when: 'nothing listens at --rpc',
    args: ['--rpc', 'https://127.0.0.1:1023/key'],
    error: 'rpc_unreachable',
    says: /^the Stellar RPC https:\/\/127\.0\.0\.1:1023 refuses connections/,
  },
  {
    when: 'the RPC shows a certificate of its own',
    changes: () => ({ NODE_EXTRA_CA_CERTS: undefined }),
    error: 'rpc_untrusted',
    says: /^the Stellar RPC https:\/\/\S+ shows a certificate that Node does not trust/,
  },
  {
    when: 'the seller refuses the payment',
    paidAnswer: (request, response, body) =>
      asksFor({ ...offer(seller!.publicKey()), error: 'insufficient_funds' })(
        request,
        response,
        body,
      ),
    error: 'refused',
    says: /refused the payment: insufficient_funds$/,
    isSent: true,
  },
  {
    when: 'a metered payment is settled too late',
    first: () => metered(),
    paidAnswer: answers(402, {
      ...settled,
      success: false,
      transaction: '',
      errorReason: 'settle_upto_stellar_authorization_expired',
    }),
    error: 'refused',
    says: /^the payment was refused: settle_upto_stellar_authorization_expired$/,
    isSent: true,
  },
  {
    when: 'the facilitator refuses the payment',
    paidAnswer: answers(402, {
      ...settled,
      success: false,
      transaction: '',
      errorReason: 'invalid_payload',
    }),
    error: 'refused',
    says: /^the payment was refused: invalid_payload$/,
    isSent: true,
  },
  {
    when: 'the transaction is not final',
    paidAnswer: answers(402, { ...settled, success: false, errorReason: 'settlement_pending' }),
    exit: 2,
    paid: null,
    error: 'outcome_unknown',
    says: /settlement_pending/,
    isSent: true,
  },
  {
    when: 'the paid answer is an error without a word about the payment',
    paidAnswer: answers(500),
    exit: 2,
    paid: null,
    error: 'outcome_unknown',
    says: /answered 500 without saying what became of the payment$/,
    isSent: true,
  },
  {
    when: 'the connection breaks after the payment was sent',
    paidAnswer: hangUp,
    exit: 2,
    paid: null,
    error: 'outcome_unknown',
    says: /did not complete its answer/,
    isSent: true,
  },
  {
    when: 'the answer is an error although the payment was made',
    paidAnswer: answers(500, settled),
    exit: 2,
    paid: true,
    error: 'paid_without_answer',
    says: /took the payment and answered 500$/,
    isSent: true,
  },
]

describe('a call that is not, or may not be, paid', () => {
  test.each(cases)('says so in a sentence when $when', async (failing) => {
    const {
      first = price,
      paidAnswer = answers(200, settled),
      args = [],
      changes = () => ({}),
    } = failing
    const { exit = 1, paid = false, error, says, isSent = false } = failing
    await using server = await paidServer(first(), paidAnswer)
    const ran = await attempt({ url: server.url, args, changes: changes() })
    expect(ran.code, ran.err).toBe(exit)
    expect(ran.lines).toMatchObject([{ paid, error, message: expect.stringMatching(says) }])
    const { message, hint } = ran.lines[0]
    if (failing.hint) expect(hint).toMatch(failing.hint)
    expect(ran.err).toBe(`svc pay: ${message}.\n${hint === undefined ? '' : `${hint}\n`}`)
    expect(server.paid.length > 0).toBe(isSent)
  })

  test('is refused by a server that is gone', async () => {
    const ran = await attempt({ url: 'http://127.0.0.1:1023/' })
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'unreachable' }] })
    expect(ran.err).toMatch(/^svc pay: http:\/\/127\.0\.0\.1:1023\/ refuses connections: nothing/)
  })

  test('is refused for a port that fetch does not use', async () => {
    const ran = await attempt({ url: 'http://127.0.0.1:1/' })
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'unreachable' }] })
    expect(ran.err).toContain('has a port that fetch refuses to use')
  })

  test('is refused by an https server that Node does not trust', async () => {
    const changes = { NODE_EXTRA_CA_CERTS: undefined }
    const ran = await attempt({ url: localnet.rpcUrl, changes })
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'untrusted' }] })
    expect(ran.err).toContain('NODE_EXTRA_CA_CERTS=FILE')
  })
})

describe('a mistyped call', () => {
  const rpc = ['--rpc', 'https://127.0.0.1:1']
  test.each([
    { args: ['nowhere', ...rpc], says: 'not a URL such as https://api.example/weather: nowhere' },
    {
      args: [stranger.secret(), ...rpc],
      says: 'not a URL such as https://api.example/weather: S...',
    },
    { args: ['ftp://x', ...rpc], says: 'starts with https:// or http://, not ftp:' },
    { args: ['http://a:b@x', ...rpc], says: 'holds a user name or a password' },
    { args: ['http://x', 'http://y', ...rpc], says: "one URL at most, so not 'http://y'" },
    {
      args: ['http://x'],
      says: 'a URL needs --rpc as well, such as --rpc https://soroban-testnet',
    },
    { args: [...rpc], says: '--rpc needs a URL' },
    { args: ['http://x', '--rpc', 'http://127.0.0.1:8000'], says: '--rpc must be https' },
    {
      args: ['http://x', '--rpc', 'rpc'],
      says: '--rpc is not a URL such as https://soroban-testnet.stellar.org: rpc',
    },
    { args: ['http://x', ...rpc, '--body', 'a', '--method', 'GET'], says: 'GET takes no --body' },
    { args: ['http://x', ...rpc, '--method', 'G T'], says: '--method is an HTTP method' },
    { args: ['http://x', ...rpc, '--header', 'X'], says: '--header is "NAME: VALUE", such as' },
    { args: ['http://x', ...rpc, '--header', 'x-payment: a'], says: 'cannot set x-payment' },
    { args: ['http://x', ...rpc, '--max-amount', 'much'], says: 'amount of USDC such as 0.05' },
    { args: ['http://x', ...rpc, '--max', 'much'], says: '--max is an amount of USDC such as' },
    { args: ['http://x', ...rpc, '--max', '1', '--max-amount', '1'], says: 'give one of them' },
    { args: ['http://x', ...rpc, '--max-amont', '1'], says: 'Did you mean --max-amount?' },
  ])('exits 64 for $args, and is JSON on demand', async ({ args, says }) => {
    const ran = await run(env(), 'pay', ...args, '--json')
    expect(ran).toMatchObject({
      code: 64,
      lines: [{ paid: false, error: 'usage', message: expect.stringContaining(says) }],
    })
    expect(ran.out).toMatch(/^\{.*\}\n$/)
    expect(ran.err).toContain(says)
    expect(ran.err).not.toContain(stranger.secret())
  })

  test('exits 1 where no demo runs', async () => {
    const ran = await run(env(), 'pay', '--dir', folder, '--json')
    expect(ran).toMatchObject({ code: 1, lines: [{ paid: false, error: 'no_demo' }] })
    expect(ran.err).toMatch(/^svc pay: no demo runs here\n/)
  })
})
