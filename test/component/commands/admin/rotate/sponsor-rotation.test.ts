import { expect, test } from 'vitest'
import { stroopsFromLumens } from '../../../../../src/platform/core/amounts/stroops.ts'
import { transactionsAfter, transfersOf } from '../../../../support/ledger-view.ts'
import { openWallet, type PaymentBody, payment, type Wallet } from '../../../../support/payments.ts'
import { readPage, type } from '../../../docs/typed-page.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  onLedger,
  openAdminWorld,
  type Sponsor,
  SvcProcess,
  storedStates,
  type Variables,
  XLM,
} from '../../admin-world.ts'
import { moveLumens } from './move-lumens.ts'

/*
 * The rotation of the sponsor's key as on the operations page: the test runs the page's own blocks, and
 * does the steps of the wallet itself.
 */

const CHANNELS = 21
const page = readPage('docs/operations.md')

/** The blocks under a heading, in order. */
function blocksUnder(heading: string): string[] {
  const [, text = ''] = page.split(`\n${heading}\n`)
  const own = text.split(/^##+ /m)[0] ?? ''
  return [...own.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, body = '']) =>
    body.replaceAll(/^ +/gm, ''),
  )
}

interface Shop {
  readonly world: AdminWorld
  readonly payer: Wallet
  readonly seller: Wallet
  readonly old: Sponsor
  readonly young: Sponsor
  /** The environment with the seed of this sponsor. */
  readonly env: (sponsor: Sponsor) => Variables
}

async function openShop(world: AdminWorld): Promise<Shop> {
  const [old, young] = (await world.funded(2, 100n * XLM)) as [Sponsor, Sponsor]
  const [payer, seller] = [await openWallet(world.localnet), await openWallet(world.localnet, 1n)]
  const { HOME } = process.env
  const env = (sponsor: Sponsor) =>
    world.env(sponsor, {
      HOME,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      EXPLORER_ENABLED: 'false',
      CHANNEL_COUNT: String(CHANNELS),
    })
  return { world, payer, seller, old, young, env }
}

const order = ({ world, payer, seller }: Shop) =>
  payment(world.localnet, { payer, payTo: seller.address })

/** Starts a service, settles these payments through it, and stops it in good order. */
async function serveAndSettle(env: Variables, bodies: readonly PaymentBody[]): Promise<unknown[]> {
  using service = new SvcProcess(env, 'serve')
  const [, url] = await service.printed(/"url":"([^"]+)".*Service is listening/)
  const answers: unknown[] = []
  for (const body of bodies) {
    const response = await fetch(`${url}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    answers.push(await response.json())
  }
  expect(await service.end('SIGTERM')).toBe(0)
  return answers
}

const settled = { success: true }

const transfersSince = ({ world, payer }: Shop, ledger: number) =>
  transactionsAfter(world.ledgers, ledger)
    .flatMap(transfersOf)
    .filter(({ from }) => from === payer.address)

test("the rotation of a sponsor's key, as documented", { timeout: 240_000 }, async () => {
  await using world = await openAdminWorld()
  const shop = await openShop(world)
  const { old, young, env } = shop
  const ledger = world.ledgers.latest.sequence
  const [status = '', retire = '', provision = '', serve] = blocksUnder('### With a stop')
  expect([status, retire, serve]).toEqual(['svc status\n', 'svc retire\n', 'svc serve\n'])

  const first = await order(shop)
  const [before] = await serveAndSettle(env(old), [first])
  expect(before).toMatchObject(settled)

  expect(await type(env(old), status)).toMatchObject({
    code: 0,
    lines: [{ channels: { onLedger: CHANNELS, leased: 0 }, settlements: { unfinished: 0 } }],
  })
  expect(await type(env(old), retire)).toMatchObject({
    code: 0,
    lines: [{ merged: CHANNELS, stillSponsoring: 0 }],
  })
  expect(await storedStates(world, old)).toEqual(['retired'])
  expect(await moveLumens(world, old, young, 'all')).toBe(true)
  expect(onLedger(world, old.address)).toBeUndefined()

  const named = provision.replace('S...', young.secret)
  expect(named).not.toBe(provision)
  expect(await type(env(old), named)).toMatchObject({
    code: 0,
    lines: [{ sponsor: young.address, channels: CHANNELS, created: CHANNELS }],
  })

  const second = await order(shop)
  const [repeated, after] = await serveAndSettle(env(young), [first, second])
  expect(repeated).toEqual(before)
  expect(after).toMatchObject(settled)
  expect(transfersSince(shop, ledger)).toHaveLength(2)
  expect(channelsOnLedger(world, young, CHANNELS)).toBe(CHANNELS)
})

test('the order for a compromised seed: the money is moved first, and the merges can still be paid', {
  timeout: 240_000,
}, async () => {
  await using world = await openAdminWorld()
  const shop = await openShop(world)
  const { old, young, env } = shop
  const [, status = ''] = blocksUnder("## When the sponsor's seed may have leaked")
  const [, retire = ''] = blocksUnder('### With a stop')

  const first = await order(shop)
  const [before] = await serveAndSettle(env(old), [first])
  expect(before).toMatchObject(settled)

  const reported = await type(env(old), status)
  const movable = stroopsFromLumens(reported.lines[0].movableXlm)
  const held = onLedger(world, old.address)?.balance ?? 0n
  // The locked reserves and a bid of 0.001 XLM for each merge stay.
  expect(held - movable).toBe((1n + BigInt(CHANNELS)) * XLM + BigInt(CHANNELS) * 10_000n)
  expect(await moveLumens(world, old, young, movable)).toBe(true)

  expect((await type(env(old), status)).lines).toMatchObject([
    { movableXlm: '0', settlements: { unfinished: 0 }, channels: { leased: 0 } },
  ])
  const highest = { ...env(old), INCLUSION_FEE_STROOPS: '9900' }
  expect(await type(highest, retire)).toMatchObject({
    code: 0,
    lines: [{ merged: CHANNELS, stillSponsoring: 0 }],
  })
  expect(await moveLumens(world, old, young, 'all')).toBe(true)

  const [repeated, after] = await serveAndSettle(env(young), [first, await order(shop)])
  expect(repeated).toEqual(before)
  expect(after).toMatchObject(settled)
})

test('a sponsor without spendable XLM cannot merge until it gets some', {
  timeout: 240_000,
}, async () => {
  await using world = await openAdminWorld()
  const { old, young, env } = await openShop(world)
  expect((await type(env(old), 'svc provision')).code).toBe(0)
  const { balance, sponsoring } = onLedger(world, old.address) ?? { balance: 0n, sponsoring: 0 }
  const locked = (2n + BigInt(sponsoring)) * (XLM / 2n)
  expect(await moveLumens(world, old, young, balance - locked - 100n)).toBe(true)
  const refused = await type(env(old), 'svc retire')
  expect(refused).toMatchObject({ code: 1, lines: [{ ok: false }] })
  expect(refused.err).toContain('too little for the fee of a transaction that merges channels')

  await world.fund(old, BigInt(CHANNELS) * (XLM / 100n))
  expect(await type(env(old), 'svc retire')).toMatchObject({
    code: 0,
    lines: [{ merged: CHANNELS, stillSponsoring: 0 }],
  })
})
