import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  run,
  type Sponsor,
  SvcProcess,
  storedStates,
  until,
  XLM,
} from './admin-world.ts'

/** So many channels take three envelopes. */
const COUNT = 41
const FEE = 100n

let world: AdminWorld
let sponsor: Sponsor
beforeAll(async () => {
  world = await openAdminWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  world.ledgers.isHeld = false
  sponsor = newSponsor()
  await world.fund(sponsor, 100n * XLM)
})

/** Kills the command once it has sent its next envelope, before any ledger has it. */
async function killAfterSending(command: string, sent: number): Promise<void> {
  world.ledgers.isHeld = true
  const before = world.ledgers.taken.length
  using process = new SvcProcess(world.env(sponsor, { CHANNEL_COUNT: String(COUNT) }), command)
  for (let envelope = 1; envelope <= sent; envelope += 1) {
    await until(() => world.ledgers.taken.length - before, envelope)
    if (envelope < sent) await world.localnet.closeLedger()
  }
  expect(await process.end('SIGKILL')).toBeNull()
}

const runAgain = (command: string) =>
  run(world.env(sponsor, { CHANNEL_COUNT: String(COUNT) }), command)

/** Kills the command before its next envelope reaches the network. */
async function killBeforeSending(command: string): Promise<void> {
  await using proxy = await startRpcProxy()
  proxy.fail('sendTransaction', { kind: 'hang' })
  const TESTNET_RPC_URL = proxy.forwardTo(world.localnet.httpUrl)
  const env = world.env(sponsor, { CHANNEL_COUNT: String(COUNT), TESTNET_RPC_URL })
  using process = new SvcProcess(env, command)
  await until(() => proxy.count('sendTransaction') > 0, true)
  expect(await process.end('SIGKILL')).toBeNull()
}

describe('killed before it sends its first envelope, the same command continues', () => {
  test('svc provision', { timeout: 120_000 }, async () => {
    await killBeforeSending('provision')
    expect(channelsOnLedger(world, sponsor, COUNT)).toBe(0)
    const line = { channels: COUNT, created: COUNT }
    expect(await runAgain('provision')).toMatchObject({ code: 0, lines: [line] })
  })

  test('svc retire, whose channels are draining by then', { timeout: 120_000 }, async () => {
    await runAgain('provision')
    await killBeforeSending('retire')
    expect(channelsOnLedger(world, sponsor, COUNT)).toBe(COUNT)
    expect(await storedStates(world, sponsor)).toEqual(['draining'])
    const line = { merged: COUNT, stillSponsoring: 0 }
    expect(await runAgain('retire')).toMatchObject({ code: 0, lines: [line] })
    expect(onLedger(world, sponsor.address)).toEqual({
      balance: 100n * XLM - BigInt(COUNT) * 4n * FEE,
      sponsoring: 0,
    })
  })
})

test('svc provision, killed when the ledger has all channels and the store none', {
  timeout: 120_000,
}, async () => {
  await killAfterSending('provision', 3)
  await world.localnet.closeLedger()
  world.ledgers.isHeld = false
  expect(channelsOnLedger(world, sponsor, COUNT)).toBe(COUNT)
  expect(await storedStates(world, sponsor)).toEqual([])
  const line = { channels: COUNT, created: 0 }
  expect(await runAgain('provision')).toMatchObject({ code: 0, lines: [line] })
  expect(await storedStates(world, sponsor)).toEqual(['active'])
})

describe('killed after any envelope, the same command continues', () => {
  test.each([1, 2, 3])('svc provision, at envelope %i', { timeout: 120_000 }, async (sent) => {
    await killAfterSending('provision', sent)
    expect(channelsOnLedger(world, sponsor, COUNT)).toBe(18 * (sent - 1))
    // Its envelopes are not in a ledger yet.
    await world.localnet.closeLedger()
    world.ledgers.isHeld = false

    const created = COUNT - Math.min(COUNT, 18 * sent)
    expect(await runAgain('provision')).toMatchObject({
      code: 0,
      lines: [{ channels: COUNT, created }],
    })
    expect(channelsOnLedger(world, sponsor, COUNT)).toBe(COUNT)
    expect(onLedger(world, sponsor.address)).toEqual({
      balance: 100n * XLM - BigInt(COUNT) * 3n * FEE,
      sponsoring: 2 * COUNT,
    })
    expect(await storedStates(world, sponsor)).toEqual(['active'])
  })

  test.each([1, 2, 3])('svc retire, at envelope %i', { timeout: 120_000 }, async (sent) => {
    expect(await runAgain('provision')).toMatchObject({ code: 0 })
    await killAfterSending('retire', sent)
    expect(await storedStates(world, sponsor)).not.toContain('active')
    await world.localnet.closeLedger()
    world.ledgers.isHeld = false

    const merged = COUNT - Math.min(COUNT, 18 * sent)
    expect(await runAgain('retire')).toMatchObject({
      code: 0,
      lines: [{ merged, stillSponsoring: 0 }],
    })
    expect(channelsOnLedger(world, sponsor, COUNT)).toBe(0)
    expect(onLedger(world, sponsor.address)).toEqual({
      balance: 100n * XLM - BigInt(COUNT) * 4n * FEE,
      sponsoring: 0,
    })
    expect(await storedStates(world, sponsor)).toEqual(['retired'])
  })

  test('svc retire, while what it sent is still on its way', { timeout: 120_000 }, async () => {
    expect(await runAgain('provision')).toMatchObject({ code: 0 })
    await killAfterSending('retire', 1)
    // The next one has the same sequence number: one of the two lands, and all channels go.
    const env = world.env(sponsor, { CHANNEL_COUNT: String(COUNT) })
    using process = new SvcProcess(env, 'retire')
    let code: number | null | undefined
    void process.ended.then((ended) => {
      code = ended.code
    })
    await process.printed(/0 of 41 accounts merged/)
    await until(async () => {
      await world.localnet.closeLedger()
      return code
    }, 0)
    expect(process.output).toContain('"stillSponsoring":0')
    expect(onLedger(world, sponsor.address)).toMatchObject({ sponsoring: 0 })
  })
})

test('svc retire stops at SIGTERM and says so', { timeout: 120_000 }, async () => {
  await runAgain('provision')
  world.ledgers.isHeld = true
  using process = new SvcProcess(world.env(sponsor, { CHANNEL_COUNT: '41' }), 'retire')
  await process.printed(/0 of 41 accounts merged/)
  expect(await process.end('SIGTERM')).toBe(1)
  expect(process.output).toContain(
    `svc retire: ${network}: stopped by SIGTERM; run the same command again`,
  )
  await world.localnet.closeLedger()
})
