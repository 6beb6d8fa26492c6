/** Pools of two databases that get one sponsor, whose channels `svc provision` created: both mark it at once. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { StellarRpc } from '../../../../../src/stellar/rpc/rpc.ts'
import { openPoolWorld, type PoolWorld } from './pool-world.ts'

const SPONSORED_PER_ACCOUNT = 2

let one: PoolWorld
let other: PoolWorld
beforeEach(async () => {
  one = await openPoolWorld()
  other = await one.withEmptyStore()
})
afterEach(async () => {
  await other.store.close()
  await one[Symbol.asyncDispose]()
})

const accountsOnLedger = async () => {
  const accounts = await one.rpc.accounts([one.sponsor.address])
  return (accounts.get(one.sponsor.address)?.sponsoring ?? 0) / SPONSORED_PER_ACCOUNT
}

/** An RPC that lets the other store do its work right before such a call of the first. */
function overtaken(isCall: (method: 'ledgerEntries' | 'send', keys: number) => boolean) {
  let work: Promise<unknown> | undefined
  const overtake = async (isNow: boolean) => {
    if (isNow) work ??= other.maintain(3)
    await work
  }
  const rpc: StellarRpc = {
    ...one.rpc,
    ledgerEntries: async (keys, signal) => {
      await overtake(isCall('ledgerEntries', keys.length))
      return one.rpc.ledgerEntries(keys, signal)
    },
    send: async (envelope, signal) => {
      await overtake(isCall('send', 0))
      return one.rpc.send(envelope, signal)
    },
  }
  return { rpc, wasOvertaken: () => work !== undefined }
}

test.each<{ at: string; isCall: Parameters<typeof overtaken>[0] }>([
  // It reads the sponsor and its mark alone.
  {
    at: 'builds its transaction',
    isCall: (method, keys) => method === 'ledgerEntries' && keys === 2,
  },
  { at: 'sends its transaction', isCall: (method) => method === 'send' },
])(
  'the store that marks the sponsor while another $at keeps its mark and its channels',
  async ({ isCall }) => {
    await one.provision(4)
    await other.provision(4)
    const { rpc, wasOvertaken } = overtaken(isCall)
    await expect(one.maintain(1, { rpc })).rejects.toMatchObject({ reason: 'SponsorMarked' })
    expect(wasOvertaken()).toBe(true)
    expect(await other.active()).toEqual([0, 1, 2])
    expect(await accountsOnLedger()).toBe(3 + 1)
    expect(await other.maintain(3)).toMatchObject({ applied: { kind: 'unchanged' } })
  },
)

test('a store leases and merges channels that it does not know only with its mark on the ledger', async () => {
  await one.provision(3)
  const first = await other.maintain(1, { passes: 1 })
  expect(first).toMatchObject({ mark: undefined, applied: { kind: 'created', count: 0 } })
  expect(await other.active()).toEqual([])
  expect(await accountsOnLedger()).toBe(3 + 1)
  await other.maintain(1)
  expect(await other.active()).toEqual([0])
  expect(await accountsOnLedger()).toBe(1 + 1)
  await expect(one.maintain(3)).rejects.toMatchObject({ reason: 'SponsorMarked' })
})

test('a sponsor that cannot pay for the mark says what to send, and nothing is taken over before', async () => {
  await one.provision(1)
  const sponsor = (await one.rpc.accounts([one.sponsor.address])).get(one.sponsor.address)
  if (!sponsor) throw new Error('the sponsor does not exist')
  const funds = { sponsor, floor: asStroops(0n), promised: sponsor.balance }
  expect(await other.pass(1, { funds })).toEqual({
    kind: 'short',
    message: expect.stringMatching(/the mark on the ledger costs? 0\.6 XLM.*send/),
  })
  expect(await other.active()).toEqual([])
})
