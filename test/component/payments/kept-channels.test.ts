import { describe, expect, it, vi } from 'vitest'
import { openWallet, type PaymentBody } from '../../support/payments.ts'
import type { Answer } from '../../support/stack.ts'
import { untilSent } from './store-view.ts'
import { openWorld, type World } from './world.ts'

const CHANNELS = 8
/** Of eight channels. */
const KEPT = 2

interface Flood {
  readonly world: World
  readonly answers: readonly Promise<Answer>[]
  /** A payment of another payer. */
  readonly next: PaymentBody
  /** Resolves when so many of its payments wait for a channel. */
  untilWaiting(count: number): Promise<void>
}

/** One address sends twice as many payments at once as there are channels, while no ledger closes. */
async function flood(channelKeptMs: number): Promise<Flood> {
  const world = await openWorld({
    network: { channelCount: CHANNELS },
    timings: { channelWaitMs: 60_000, claimTtlMs: 120_000, channelKeptMs },
  })
  const { stack, pay } = world
  const payer = await openWallet(stack.localnet)
  const expirationLedger = stack.localnet.network.latest.sequence + 50
  const plan = { maxTimeoutSeconds: 300, expirationLedger }
  const bodies = await Promise.all(Array.from({ length: 2 * CHANNELS }, () => pay(plan)))
  const next = await pay({ ...plan, payer })
  const queue = stack.facilitator.networks.get('stellar:testnet')?.channelQueue
  stack.hold(true)
  return {
    ...{ world, next },
    answers: bodies.map((body) => stack.post('/settle', body)),
    untilWaiting: (count) =>
      vi.waitFor(() => expect(queue?.length).toBe(count), { timeout: 120_000, interval: 5 }),
  }
}

async function expectAllSettled({ stack }: World, answers: readonly Promise<Answer>[]) {
  stack.hold(false)
  await stack.localnet.closeLedger()
  for (const answer of answers) expect((await answer).body).toMatchObject({ success: true })
}

describe('one address that sends twice as many payments at once as there are channels', () => {
  it('leaves the next payer a channel, before a ledger closes', async () => {
    const { world, answers, next, untilWaiting } = await flood(3_600_000)
    await using opened = world
    const { stack } = opened
    await untilWaiting(CHANNELS + KEPT)
    const settling = stack.post('/settle', next)
    await untilSent(stack, next)
    await untilWaiting(CHANNELS + KEPT)
    await expectAllSettled(opened, [settling, ...answers])
  })

  it('gets every channel while nobody else comes, before a ledger closes', async () => {
    const { world, answers, untilWaiting } = await flood(1)
    await using opened = world
    await untilWaiting(CHANNELS)
    await expectAllSettled(opened, answers)
  })
})
