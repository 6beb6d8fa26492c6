import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { flagUnresolvable } from '../../../src/payments/store/settlements/due.ts'
import { findSettlement } from '../../../src/payments/store/settlements/find.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { bareDatabase } from '../../support/postgres.ts'
import { addChannels, keyOf, recording, submit } from '../payments/store/builders.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  network,
  newSponsor,
  onLedger,
  openAdminWorld,
  type Sponsor,
  SvcProcess,
  XLM,
} from './admin-world.ts'
import { runHere, typedHere } from './run-here.ts'
import { type Answer, atTerminal, noTerminal } from './terminal.ts'

/*
 * The commands that ask. They run in this process where it is about words; in a real pseudo-terminal where it makes a signal or the
 * end of the input of a key, and where one of the streams is none.
 */

const NOT_CONFIRMED = 3
const yes = { types: 'yes' }

let world: AdminWorld
let sponsor: Sponsor
beforeAll(async () => {
  world = await openAdminWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(async () => {
  sponsor = newSponsor()
  await world.fund(sponsor, 30n * XLM)
})

const env = () => world.env(sponsor)
type AnswerHere = Exclude<Answer, 'Ctrl-C'>
const type = (args: readonly string[], answer?: AnswerHere) => typedHere(env(), args, answer)

/** Both commands, given this answer, end as not confirmed and leave all as it was. */
async function expectUnchanged(
  answerTo: (args: readonly string[]) => ReturnType<typeof atTerminal | typeof typedHere>,
): Promise<void> {
  await runHere(env(), 'provision')
  const before = onLedger(world, sponsor.address)
  for (const args of [['provision', '--count', '9'], ['retire']]) {
    const refused = await answerTo(args)
    expect(refused).toMatchObject({ code: NOT_CONFIRMED, lines: [] })
    expect(refused.shown).toMatch(
      new RegExp(`^svc ${args[0]}: not confirmed, so nothing was changed\\r?$`, 'm'),
    )
  }
  expect(onLedger(world, sponsor.address)).toEqual(before)
  expect((await runHere(env(), 'status')).lines).toMatchObject([
    { channels: { onLedger: 2, active: 2, draining: 0 } },
  ])
}

describe('svc provision and svc retire at a terminal', () => {
  test('show what they will do, ask, and go on after yes', async ({ skip }) => {
    if (noTerminal !== undefined) skip(noTerminal)
    const created = await atTerminal(env(), ['provision'], { answer: yes })
    expect(created.shown).toContain(`svc provision: ${network}\r\n`)
    expect(created.shown).toMatch(new RegExp(`^ {2}sponsor +${sponsor.address}\\r$`, 'm'))
    expect(created.shown).toMatch(/^ {2}balance +30 XLM\r?$/m)
    expect(created.shown).toMatch(/^ {2}channels +2 to create, 0 exist: 2 in all\r?$/m)
    expect(created.shown).toMatch(/^ {2}locked +2 XLM of the balance, until svc retire\r?$/m)
    expect(created.shown).toMatch(/^ {2}fees +at most 0\.00007 XLM\r?$/m)
    expect(created).toMatchObject({ code: 0, lines: [{ ok: true, created: 2 }] })

    const merged = await type(['retire'], { types: '  YES ' })
    expect(merged.shown).toMatch(
      /^ {2}channels +2 on the ledger, which are merged into the sponsor\r?$/m,
    )
    expect(merged.shown).toMatch(/^ {2}returned +2 XLM, the reserves of these accounts\r?$/m)
    expect(merged.shown).toMatch(/^ {2}fees +at most 0\.00002 XLM\r?$/m)
    expect(merged).toMatchObject({ code: 0, lines: [{ ok: true, merged: 2 }] })
  })

  test.each<{ answer: AnswerHere }>([
    { answer: { types: '' } },
    { answer: { types: 'y' } },
    { answer: { types: 'no' } },
    { answer: { types: 'yes please' } },
    { answer: 'Ctrl-D' },
  ])('change nothing after $answer, with an exit code of its own', ({ answer }) =>
    expectUnchanged((args) => type(args, answer)),
  )

  test.for([{ answer: 'Ctrl-D' }, { answer: 'Ctrl-C' }] as const)(
    'change nothing after the key $answer',
    async ({ answer }, { skip }) => {
      if (noTerminal !== undefined) skip(noTerminal)
      await expectUnchanged((args) => atTerminal(env(), args, { answer }))
    },
  )

  test('do not ask with --yes, nor when input or output is no terminal', async ({ skip }) => {
    if (noTerminal !== undefined) skip(noTerminal)
    const created = await type(['provision', '--yes'])
    expect(created).toMatchObject({ code: 0, lines: [{ created: 2 }] })
    expect(created.shown).not.toContain('type yes')
    const merged = await atTerminal(env(), ['retire'], { redirect: '</dev/null' })
    expect(merged).toMatchObject({ code: 0, lines: [{ merged: 2 }] })
    expect(merged.shown).not.toContain('type yes')
    const piped = await atTerminal(env(), ['provision'], { redirect: '| cat' })
    expect(piped).toMatchObject({ code: 0, lines: [{ created: 2 }] })
    expect(piped.shown).not.toContain('type yes')
  })

  test('print nothing but lines of JSON on standard output', async ({ skip }) => {
    if (noTerminal !== undefined) skip(noTerminal)
    const folder = await mkdtemp(join(tmpdir(), 'svc-terminal-'))
    const errors = join(folder, 'errors')
    try {
      // The question is in the file: the answer is typed ahead.
      const { shown, lines, code } = await atTerminal(env(), ['provision', '--yes'], {
        redirect: `2>${errors}`,
      })
      expect({ code, lines: lines.length }).toEqual({ code: 0, lines: 1 })
      expect(shown.trim().split('\n')).toHaveLength(1)
      expect(await readFile(errors, 'utf8')).toContain('2 of 2 accounts in place')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('ask nothing when they can do nothing', async () => {
    const unknown = await typedHere(world.env(newSponsor()), ['provision'])
    expect(unknown).toMatchObject({ code: 1, lines: [{ ok: false }] })
    expect(unknown.shown).not.toContain('type yes')
    await runHere(env(), 'provision')
    {
      const serving = world.env(sponsor, {
        HOST: '127.0.0.1',
        PORT: '0',
        ADMIN_PORT: '0',
        EXPLORER_ENABLED: 'false',
      })
      using service = new SvcProcess(serving, 'serve')
      await service.printed(/Service is listening/)
      const refused = await type(['retire'])
      expect(refused).toMatchObject({ code: 1, lines: [{ ok: false }] })
      expect(refused.shown).toContain('stop the service first')
      expect(refused.shown).not.toContain('type yes')
      await service.end('SIGTERM')
    }
  })

  test('ask nothing when they would move and lock no XLM', async () => {
    for (const name of ['provision', 'retire']) {
      await runHere(env(), name)
      const repeated = await typedHere(env(), [name])
      expect(repeated).toMatchObject({ code: 0, lines: [{ ok: true }] })
      expect(repeated.shown).not.toContain('type yes')
    }
  })

  test('write no migration before yes', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    const bare = world.env(sponsor, { DATABASE_URL: database.url })
    const pending = await store.pendingMigrations()
    const refused = await typedHere(bare, ['provision'], { types: 'no' })
    expect(refused.code).toBe(NOT_CONFIRMED)
    expect(refused.shown).toContain('is brought up to date first')
    expect(await store.pendingMigrations()).toEqual(pending)
    expect(channelsOnLedger(world, sponsor, 2)).toBe(0)
    expect((await typedHere(bare, ['provision'], yes)).code).toBe(0)
  })

  test('say how many times as many channels a mistyped count is', async () => {
    await runHere(env(), 'provision')
    const refused = await type(['provision', '--count', '20'], { types: '' })
    expect(refused.shown).toMatch(
      /^ {2}channels +18 to create, 2 exist: 20 in all, 10 times as many as now\r?$/m,
    )
    expect(refused.shown).toMatch(/^ {2}locked +18 XLM/m)
  })
})

describe('svc settlements resolve at a terminal', () => {
  test('shows the payment and the outcome, and writes it only after yes', async () => {
    await using database = await bareDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url })
    await store.migrate()
    await addChannels(store, 1)
    await submit(store, '1')
    await flagUnresolvable(store.db, keyOf('1'), 'the network forgot the ledgers', 60_000)
    const stored = world.env(sponsor, { DATABASE_URL: database.url })
    const { txHash } = recording('1')
    const args = ['settlements', 'resolve', txHash, '--as', 'expired']
    const refused = await typedHere(stored, args, { types: 'n' })
    expect(refused).toMatchObject({ code: NOT_CONFIRMED, lines: [] })
    expect(refused.shown).toContain(txHash)
    expect(refused.shown).toMatch(/^ {2}outcome +expired, which never changes again\r?$/m)
    expect((await findSettlement(store.db, keyOf('1')))?.state).toBe('submitted')
    const listed = await typedHere(stored, ['settlements', 'list'])
    expect(listed).toMatchObject({ code: 0, lines: [{ hash: txHash }] })
    const resolved = await typedHere(stored, args, yes)
    expect(resolved).toMatchObject({ code: 0, lines: [{ state: 'expired' }] })
  })
})
