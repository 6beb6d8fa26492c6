import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveSettlement } from '../../../../src/payments/engine/follow/resolve-by-hand.ts'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { flagUnresolvable } from '../../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import { finishSettlement } from '../../../../src/payments/store/settlements/transitions/finish.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { bareDatabase, freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import {
  addChannels,
  ending,
  keyOf,
  network,
  recording,
  sha256,
  submit,
} from '../../payments/store/builders.ts'
import { run as runProgram } from '../admin-world.ts'
import { runHere } from '../run-here.ts'

const envOf = (url: string) => ({
  PATH: process.env['PATH'],
  DATABASE_URL: url,
  LOG_LEVEL: 'silent',
})
const run = (url: string, ...args: string[]) => runHere(envOf(url), ...args)

const hashOf = (nonce: string) => recording(nonce).txHash

describe('svc settlements', () => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await freshDatabase()
    store = await openStore({ kind: 'postgres', url: database.url })
    await addChannels(store, 3)
    for (const nonce of ['1', '2', '3']) await submit(store, nonce)
    await finishSettlement(store.db, ending('1'))
    await flagUnresolvable(store.db, keyOf('2'), 'the network forgot the ledgers', 60_000)
  })
  afterAll(async () => {
    await store.close()
    await database[Symbol.asyncDispose]()
  })

  test('lists what is unfinished, newest first, and never an envelope', async () => {
    const ran = await runProgram(envOf(database.url), 'settlements', 'list')
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.lines.map(({ nonce, state }) => [nonce, state])).toEqual([
      ['3', 'submitted'],
      ['2', 'submitted'],
    ])
    expect(ran.out).not.toContain('envelope of')
  })

  test('lists what the endpoints could not prove', async () => {
    const ran = await run(database.url, 'settlements', 'list', '--only', 'unresolvable')
    expect(ran.lines).toMatchObject([
      { nonce: '2', unresolvableBecause: 'the network forgot the ledgers' },
    ])
  })

  test('shows one settlement with its answer', async () => {
    const { lines } = await run(database.url, 'settlements', 'show', hashOf('1'))
    const { innerHash } = recording('1')
    const response = { success: true, network }
    expect(lines).toMatchObject([{ state: 'succeeded', innerHash, response }])
  })

  test('refuses to resolve a settlement whose outcome the ledger can still tell', async () => {
    const ran = await run(database.url, 'settlements', 'resolve', hashOf('3'), '--as', 'expired')
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toContain('a facilitator finishes it')
    expect((await findSettlement(store.db, keyOf('3')))?.state).toBe('submitted')
  })

  test('resolves an unresolvable settlement as the administrator found it, and frees its channel', async () => {
    await store.db
      .updateTable('settlements')
      .set({ recorded_at_ledger: 76n })
      .where('tx_hash', '=', hashOf('2'))
      .execute()
    const tooEarly = ['--as', 'succeeded', '--ledger', '76', '--fee', '23049']
    const refused = await run(database.url, 'settlements', 'resolve', hashOf('2'), ...tooEarly)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain(
      'ledger 76 cannot have the transaction: it was recorded when ledger 76 was the latest',
    )
    const found = ['--as', 'succeeded', '--ledger', '77', '--fee', '23049']
    const ran = await run(database.url, 'settlements', 'resolve', hashOf('2'), ...found)
    expect(ran.lines).toMatchObject([
      { state: 'succeeded', ledger: 77, feeChargedStroops: '23049', response: { success: true } },
    ])
    const [{ channel }] = ran.lines
    const [freed] = (await listChannels(store.db, network)).filter(
      ({ account }) => account === channel,
    )
    expect(freed).toMatchObject({ isLeased: false, sequence: undefined })
  })

  test('refuses when another person resolved it after it was read', async () => {
    await submit(store, '4')
    await flagUnresolvable(store.db, keyOf('4'), 'the network forgot the ledgers', 60_000)
    const read = (await findSettlement(store.db, keyOf('4')))!
    const ledger = Number(read.recorded!.recordedAtLedger) + 1
    const found = { as: 'succeeded', ledger, feeCharged: asStroops(23_049n) } as const
    await resolveSettlement(store, read, found)
    const late = resolveSettlement(store, read, { as: 'expired' })
    await expect(late).rejects.toThrow('the settlement is succeeded by now, and stays so')
    expect((await findSettlement(store.db, keyOf('4')))?.state).toBe('succeeded')
  })

  test.each([
    { when: 'an unknown hash', args: ['show', sha256('unknown')], code: 1, says: 'no settlement' },
    { when: 'no action', args: [], code: 64, says: 'expected list' },
    {
      when: 'an incomplete resolution',
      args: ['resolve', sha256('x'), '--as', 'failed'],
      code: 64,
      says: '--fee',
    },
  ])('says what is wrong with $when', async ({ args, code, says }) => {
    const ran = await run(database.url, 'settlements', ...args)
    expect(ran.code).toBe(code)
    expect(ran.err).toContain(says)
  })
})

describe('svc migrate --check', () => {
  test('prints missing migrations and writes nothing; after the migration it exits 0', async () => {
    await using database = await bareDatabase()
    const before = await run(database.url, 'migrate', '--check')
    expect(before.code).toBe(1)
    expect(before.err).toContain('0001-payments')
    expect((await run(database.url, 'migrate', '--check')).code).toBe(1)
    expect((await runProgram(envOf(database.url), 'migrate')).code).toBe(0)
    expect(await run(database.url, 'migrate', '--check')).toMatchObject({ code: 0, err: '' })
  })
})
