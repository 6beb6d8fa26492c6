/** Two databases that name one sponsor: each operator sees only its own store, and both see the ledger. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  keptTakeOver,
  takenOver,
} from '../../../../../src/kubernetes/operator/channel-pool/converge/mark.ts'
import { provisionChannels } from '../../../../../src/payments/channels/create/provision.ts'
import { retireChannels } from '../../../../../src/payments/channels/retire/retire.ts'
import { keysOfSeed } from '../../../../../src/payments/channels/sponsor-keys.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { readStoreId } from '../../../../../src/platform/database/identity.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { transactionsAfter } from '../../../../support/ledger-view.ts'
import { openPoolWorld, type PoolWorld } from './pool-world.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

let one: PoolWorld
let other: PoolWorld
let ids: { readonly one: string; readonly other: string }
beforeAll(async () => {
  one = await openPoolWorld()
  other = await one.withEmptyStore()
  ids = { one: await readStoreId(one.store.db), other: await readStoreId(other.store.db) }
})
afterAll(async () => {
  await other.store.close()
  await one[Symbol.asyncDispose]()
})

const sponsorState = async () =>
  (await one.rpc.accounts([one.sponsor.address])).get(one.sponsor.address)
const transactions = async (work: () => Promise<unknown>) => {
  const before = one.localnet.network.latest.sequence
  await work()
  await one.localnet.closeLedger()
  return transactionsAfter(one.localnet.network, before).length
}

test('the first transaction creates the channels and marks the sponsor with the store', async () => {
  expect(await transactions(() => one.maintain(6))).toBe(1)
  expect(await sponsorState()).toMatchObject({ sponsoring: 14, subentries: 1 })
  expect(await one.maintain(6)).toMatchObject({ mark: ids.one, applied: { kind: 'unchanged' } })
})

test('a pool of another database merges none of these channels, and says whose they are', async () => {
  const sent = await transactions(async () => {
    for (const desired of [2, 0, 9]) {
      await expect(other.maintain(desired)).rejects.toMatchObject({
        reason: 'SponsorMarked',
        message: expect.stringMatching(
          new RegExp(
            `store ${ids.one} manages .* this database is store ${ids.other}: .*take-over`,
          ),
        ),
      })
    }
  })
  expect(sent).toBe(0)
  expect(await one.active()).toEqual(upTo(6))
  expect(await sponsorState()).toMatchObject({ sponsoring: 14 })
})

const common = (world: PoolWorld) =>
  ({
    network: 'stellar:testnet',
    keys: keysOfSeed(one.sponsor.secret),
    count: 2,
    inclusionFee: asStroops(100n),
    rpc: one.rpc,
    store: world.store,
    clock: { now: Date.now, sleep: () => one.localnet.closeLedger().then(() => undefined) },
    signal: AbortSignal.timeout(200_000),
  }) as const

test('neither svc provision nor svc retire of another database touches them', async () => {
  const says = expect.objectContaining({ message: expect.stringContaining(`store ${ids.one}`) })
  const sent = await transactions(async () => {
    await expect(other.provision(2)).rejects.toEqual(says)
    const retired = retireChannels({
      ...common(other),
      besideService: false,
      onProgress: () => undefined,
    })
    await expect(retired).rejects.toEqual(says)
    await one.provision(2)
  })
  expect(sent).toBe(0)
})

test('svc provision without a database says that it has none', async () => {
  const provision = provisionChannels({
    ...common(one),
    store: undefined,
    keepSpendable: asStroops(0n),
    log: createLogger({ level: 'silent' }),
  })
  await expect(provision).rejects.toThrow(/ and no database is set: set DATABASE_URL /)
})

test('a pool that is told to take over marks the sponsor, and then the first one stops', async () => {
  const wrong = other.maintain(2, { takeOver: 'another store' })
  await expect(wrong).rejects.toMatchObject({ reason: 'SponsorMarked' })
  await other.maintain(2, { takeOver: ids.one })
  expect(await other.active()).toEqual([0, 1])
  expect(await sponsorState()).toMatchObject({ sponsoring: 6, subentries: 1 })
  await expect(one.maintain(6)).rejects.toMatchObject({
    reason: 'SponsorMarked',
    message: expect.stringContaining(`store ${ids.other} manages`),
  })
})

test('two pools that keep their annotations do not take the channels from each other again and again', async () => {
  const took = { from: ids.one, done: undefined }
  const done = takenOver(await other.maintain(2, { takeOver: ids.one }), took)
  expect(done).toBe(ids.one)
  await one.maintain(3, { takeOver: ids.other })
  const before = await sponsorState()
  const again = { takeOver: ids.one, takenOver: done }
  await expect(other.maintain(2, again)).rejects.toMatchObject({
    reason: 'SponsorMarked',
    message: expect.stringContaining('remove and set the annotation'),
  })
  expect(await sponsorState()).toEqual(before)
  expect(keptTakeOver({ from: ids.one, done })).toBe(ids.one)
  // Removed and set again, it counts again.
  await other.maintain(2, { takeOver: ids.one, takenOver: keptTakeOver({ from: undefined, done }) })
  expect(await other.active()).toEqual([0, 1])
})

test('the last merge removes the mark, and returns its reserve', async () => {
  await other.maintain(0)
  expect(await sponsorState()).toMatchObject({ sponsoring: 0, subentries: 0 })
  await one.maintain(1)
  const options = { ...common(one), besideService: false, onProgress: () => undefined }
  expect(await retireChannels(options)).toBe(2)
  expect(await sponsorState()).toMatchObject({ sponsoring: 0, subentries: 0 })
})
