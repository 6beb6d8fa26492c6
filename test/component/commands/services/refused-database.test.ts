/** What each command says of a database that refuses it, or whose schema another version has migrated. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/database/open.ts'
import { bareDatabase, freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { administer } from '../../../support/postgres-server.ts'
import { type AdminWorld, newSponsor, openAdminWorld, run, XLM } from '../admin-world.ts'
import { runHere } from '../run-here.ts'

let world: AdminWorld
const sponsor = newSponsor()
beforeAll(async () => {
  world = await openAdminWorld()
  await world.fund(sponsor, 100n * XLM)
})
afterAll(() => world[Symbol.asyncDispose]())

const envOf = (url: string) =>
  world.env(sponsor, {
    DATABASE_URL: url,
    LOG_LEVEL: 'silent',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
  })

const svc = (url: string, ...args: string[]) => runHere(envOf(url), ...args)

/** The commands that print a sentence; the others print JSON. */
const commands = ['serve', 'facilitator', 'migrate', 'migrate --check', 'settlements list']

describe('a database that does not exist', () => {
  const missing = () => {
    const url = new URL(world.database.url)
    url.pathname = '/missing'
    return url.href
  }
  const sentence =
    /Postgres at 127\.0\.0\.1:\d+ has no database "missing"\. Create it \(createdb missing\), or correct /

  test.each(commands)('ends svc %s with 78 and two sentences', async (command) => {
    const ran = await svc(missing(), ...command.split(' '))
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(sentence)
    expect(ran.err.trim().split('\n')).toHaveLength(1)
  })

  test('ends the program with them, before it has logged anything', async () => {
    const ran = await run({ ...envOf(missing()), LOG_LEVEL: 'info' }, 'serve')
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(sentence)
    expect(ran.err.trim().split('\n')).toHaveLength(1)
  })

  test.each(['status', 'provision'])('svc %s still prints its line of JSON', async (command) => {
    const ran = await svc(missing(), command)
    expect(ran.code).toBe(1)
    expect(ran.lines).toMatchObject([{ ok: false, problems: [expect.stringMatching(sentence)] }])
    if (command === 'status') expect(ran.lines).toMatchObject([{ balanceXlm: '100' }])
  })

  test('svc doctor says both as the check store', async () => {
    const { lines } = await svc(missing(), 'doctor')
    const { says, todo } = lines.find(({ check }) => check === 'store')
    expect(`${says}. ${todo}`).toMatch(
      / has no database "missing"\. create it \(createdb missing\)/,
    )
  })
})

test.each(['serve', 'migrate', 'status'])(
  'svc %s says in one sentence what of the URL the driver cannot use',
  async (command) => {
    const ran = await svc('postgres://svc:secret@localhost/svc?ssl=false', command)
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(
      /DATABASE_URL is a URL with an unknown value of ssl: leave it out, and write sslmode=/,
    )
    expect(ran.err).not.toMatch(/ at |secret/)
  },
)

describe('a table of another application', () => {
  let shop: TestDatabase
  beforeAll(async () => {
    shop = await bareDatabase()
    await administer(shop.url, 'create table settlements (id int)')
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  test.each(['serve', 'migrate'])('svc %s refuses the database', async (command) => {
    const ran = await svc(shop.url, command)
    expect(ran).toMatchObject({ code: 78, out: '' })
    expect(ran.err).toMatch(
      / belongs to another application \(relation "settlements" already exists\)\. Use a /,
    )
  })

  test('svc settlements list names the command to run first', async () => {
    const ran = await svc(shop.url, 'settlements', 'list')
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toMatch(/^svc settlements: the database lacks 0001-.*: run svc migrate .*\n$/)
  })
})

describe('a newer schema', () => {
  const sentence =
    /the database has 9999-contract-9998-later, which this version does not know \(its newest migration is \d{4}-\S+\)[:;] run a newer version/
  let newer: TestDatabase
  beforeAll(async () => {
    newer = await freshDatabase()
    await using store = await openStore({ kind: 'postgres', url: newer.url })
    await sql`insert into kysely_migration values ('9999-contract-9998-later', 'now')`.execute(
      store.db,
    )
  })
  afterAll(() => newer[Symbol.asyncDispose]())

  test.each(['serve', 'facilitator', 'migrate', 'migrate --check', 'settlements list'])(
    'ends svc %s with 1 and one line',
    async (command) => {
      const ran = await svc(newer.url, ...command.split(' '))
      expect(ran).toMatchObject({ code: 1, out: '' })
      expect(ran.err).toMatch(sentence)
      expect(ran.err.trim().split('\n')).toHaveLength(1)
    },
  )

  test('is a problem of svc status and of svc doctor', async () => {
    const status = await svc(newer.url, 'status')
    expect(status.lines).toMatchObject([{ ok: false, problems: [expect.stringMatching(sentence)] }])
    const doctor = await svc(newer.url, 'doctor')
    const { says, todo } = doctor.lines.find(({ check }) => check === 'schema')
    expect(`${says}: ${todo}`).toMatch(sentence)
  })
})
