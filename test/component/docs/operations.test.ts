import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { warnings } from '../../../src/diagnosis/problems/names.ts'
import { writeHeartbeats } from '../../../src/payments/store/replica-heartbeats.ts'
import { flagUnresolvable } from '../../../src/payments/store/settlements/due.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { bareDatabase, type TestDatabase } from '../../support/postgres.ts'
import {
  type AdminWorld,
  newSponsor,
  openAdminWorld,
  type Sponsor,
  SvcProcess,
  XLM,
} from '../commands/admin-world.ts'
import { addChannels, keyOf, recording, submit } from '../payments/store/builders.ts'
import { commandsOf, readPage, SVC_ON_PATH, type as typeInto } from './typed-page.ts'

/*
 * Types every command of the page in a shell at the project's root, against a network, a Postgres and a
 * service of its own; only ports, hashes and seeds are changed.
 */

const page = readPage('docs/operations.md')
/** Those with helm need a cluster: test/e2e-upgrade rolls back with definitions that stay. */
const ofHelm = /^(git worktree|helm|--reset-then-reuse-values)/
const commands = new Set([...commandsOf(page)].filter((command) => !ofHelm.test(command)))

let world: AdminWorld
let database: TestDatabase
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-operations-'))
  // Its clock is behind, because its ledgers close faster than the clock goes: the doctor reports ledgers of the future.
  world = await openAdminWorld({ clock: { ...systemClock, now: () => Date.now() - 20_000 } })
  database = await bareDatabase()
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await world[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test('every command of the page does what the page says', { timeout: 300_000 }, async () => {
  const [old, young] = [newSponsor(), newSponsor()]
  for (const sponsor of [old, young]) await world.fund(sponsor, 100n * XLM)
  const env = world.env(old, {
    HOME: process.env['HOME'],
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
  })
  const left = new Set(commands)
  /** Types a command of the page after replacing these words. */
  const type = async (
    command: string,
    words: Readonly<Record<string, string>> = {},
    around = '',
  ) => {
    expect([...commands]).toContain(command)
    left.delete(command)
    // This network closes a ledger only with a transaction. On a busy machine a minute may pass between two, and a
    // transaction that is valid for a minute after the latest ledger is then refused as too late.
    if (/svc (?:retire|provision|rotate)/.test(command)) await world.localnet.closeLedger()
    const text = Object.entries(words).reduce(
      (typed, [from, to]) => typed.replace(from, to),
      command,
    )
    return typeInto(env, `${text}\n${around}`)
  }

  expect(await type(SVC_ON_PATH, {}, 'svc --version')).toMatchObject({ code: 0 })
  expect(await type('svc migrate --check')).toMatchObject({ code: 1 })
  expect(await type('svc migrate')).toMatchObject({ code: 0 })
  expect(await type('svc migrate --check')).toMatchObject({ code: 0 })
  expect(await type('svc provision')).toMatchObject({ code: 0, lines: [{ channels: 2 }] })

  {
    expect(left.delete('svc serve')).toBe(true)
    using service = new SvcProcess(env, 'serve')
    const [, url = ''] = await service.printed(/"url":"([^"]+)".*Service is listening/)
    const here = { 'http://127.0.0.1:8080': url }
    const health = await type('curl -s http://127.0.0.1:8080/health', here)
    expect(health).toMatchObject({ code: 0, lines: [{ status: 'ok', warnings: [] }] })
    const ready = await type('curl -s http://127.0.0.1:8080/ready', here)
    expect(ready.lines).toMatchObject([{ ready: true }])
    const found = await type('svc doctor')
    // A database on a busy machine answers late.
    const unwell = found.lines.filter(({ status }) => status !== 'ok').map(({ check }) => check)
    expect(unwell.filter((check) => check !== 'store-latency')).toEqual([])
    expect(found.code).toBe(0)
    expect(await type('svc status')).toMatchObject({
      code: 0,
      lines: [{ channels: { onLedger: 2 } }],
    })
    expect(await type('svc settlements list')).toMatchObject({ code: 0, lines: [] })
    expect(await service.end('SIGTERM')).toBe(0)
  }

  const nonces = ['1', '2', '3'] as const
  await using store = await openStore({ kind: 'postgres', url: database.url })
  await addChannels(store, nonces.length)
  for (const nonce of nonces) {
    await submit(store, nonce)
    await flagUnresolvable(store.db, keyOf(nonce), 'the network forgot the ledgers', 60_000)
  }
  // The page's ledger is a later one.
  await store.db.updateTable('settlements').set({ recorded_at_ledger: 123_000n }).execute()
  const [first, second, third] = nonces.map((nonce) => ({ HASH: recording(nonce).txHash }))
  const diagnosed = await type('svc doctor')
  expect(diagnosed.code).toBe(1)
  expect(diagnosed.lines.find(({ check }) => check === 'unresolvable').status).toBe('problem')
  const waiting = await type('svc settlements list --only unresolvable')
  expect(waiting.lines.map(({ hash }) => hash).toSorted()).toEqual(
    [first, second, third].map((each) => each?.HASH).toSorted(),
  )
  expect((await type('svc settlements show HASH', first)).lines).toMatchObject([
    { state: 'submitted', unresolvableBecause: 'the network forgot the ledgers' },
  ])
  const found = '--ledger 123456 --fee 23049'
  const resolutions = [
    [`svc settlements resolve HASH --as succeeded ${found}`, first, 'succeeded'],
    [`svc settlements resolve HASH --as failed ${found}`, second, 'failed'],
    ['svc settlements resolve HASH --as expired', third, 'expired'],
  ] as const
  for (const [command, hash, state] of resolutions) {
    expect(await type(command, hash)).toMatchObject({ code: 0, lines: [{ state }] })
  }
  const all = await type('svc settlements list --only all')
  expect(all.lines.map(({ state }) => state).toSorted()).toEqual(['expired', 'failed', 'succeeded'])

  const [key] = (await type('svc keys new --name shop')).lines
  expect(key).toEqual({
    key: expect.stringMatching(/^svc_/),
    sha256: expect.stringMatching(/^\w{64}$/),
    entry: expect.stringMatching(/^\w{64};name=shop$/),
  })
  const rotating = `${key.sha256};name=shop;until=2026-12-01T00:00:00Z`
  const keys = await type('svc keys list --human', { svc: `API_KEY_SHA256='${rotating}' svc` })
  expect(keys).toMatchObject({ code: 0 })
  expect(keys.out).toMatch(
    /^API keys\n {2}key:\w{16} {2}shop, .* 2026-12-01T00:00:00.000Z, never used\n$/,
  )
  expect(await type('svc retire')).toMatchObject({ code: 0, lines: [{ stillSponsoring: 0 }] })
  const renewed = await type(
    'export TESTNET_SPONSOR_SECRET=S...',
    { 'S...': young.secret },
    'svc provision',
  )
  expect(renewed).toMatchObject({ code: 0, lines: [{ sponsor: young.address, created: 2 }] })

  const [next, afterNext] = [newSponsor(), newSponsor()]
  for (const sponsor of [next, afterNext]) await world.fund(sponsor, 100n * XLM)
  const rotate = async (command: string, from: Sponsor, to: Sponsor) => {
    const file = join(folder, to.address)
    await writeFile(file, to.secret)
    const words = {
      'svc rotate': `TESTNET_SPONSOR_SECRET=${from.secret} svc rotate`,
      'new-sponsor.seed': file,
    }
    return type(command, words)
  }
  const rotation = 'svc rotate --network stellar:testnet --to new-sponsor.seed'
  expect(await rotate(`${rotation} --dry-run`, young, next)).toMatchObject({
    code: 0,
    lines: [{ dryRun: true, create: 2, merge: 2 }],
  })
  {
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const served = { network: 'stellar:testnet', sponsor: next.address } as const
    await writeHeartbeats(store.db, 'moved/1', [served])
    // It does not age while the command starts.
    await sql`update replica_heartbeats set seen_at = seen_at + interval '1 hour'`.execute(store.db)
  }
  expect(await rotate(rotation, young, next)).toMatchObject({
    code: 0,
    lines: [{ created: 2, merged: 2, leftXlm: null }],
  })
  expect(await rotate(`${rotation} --mode emergency`, next, afterNext)).toMatchObject({
    code: 0,
    lines: [{ merged: 2, gone: 0, lostXlm: '0' }],
  })

  expect([...left]).toEqual([])
})

describe('the warnings', () => {
  const rules = Object.entries(warnings).map(([code, warning]) => ({ code, ...warning }))
  const [, text = ''] = page.split('\n## Warnings\n')
  const own = text.split(/^## /m)[0] ?? ''
  const sections = [...own.matchAll(/^### `(\w+)`\n+(\S[\s\S]*?)(?=^### |$(?![\s\S]))/gm)]

  test('are all described, in their order', () => {
    expect(sections.map(([, code]) => code)).toEqual(rules.map(({ code }) => code))
    for (const [, code, words = ''] of sections) {
      expect([code, words.length > 40]).toEqual([code, true])
    }
  })

  test('are in the table with severity and condition', () => {
    const rows = own.split('\n').filter((line) => line.startsWith('| [`'))
    expect(rows).toEqual(
      rules.map(
        ({ code, severity, when }) => `| [\`${code}\`](#${code}) | ${severity} | ${when} |`,
      ),
    )
  })
})
