import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { writeHeartbeats } from '../../../../../src/payments/store/replica-heartbeats.ts'
import { openWallet, payment } from '../../../../support/payments.ts'
import {
  type AdminWorld,
  channelsOnLedger,
  network,
  onLedger,
  openAdminWorld,
  type Sponsor,
  SvcProcess,
  storedStates,
  XLM,
} from '../../admin-world.ts'
import { runHere, typedHere } from '../../run-here.ts'

const COUNT = 2

let world: AdminWorld
let folder: string
let old: Sponsor
let young: Sponsor
beforeAll(async () => {
  world = await openAdminWorld()
  folder = mkdtempSync(join(tmpdir(), 'svc-rotate-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await world[Symbol.asyncDispose]()
})
beforeEach(async () => {
  ;[old, young] = (await world.funded(2, 50n * XLM)) as [Sponsor, Sponsor]
})

const fileOf = ({ secret, address }: Sponsor): string => {
  const path = join(folder, address)
  writeFileSync(path, `${secret}\n`)
  return path
}

const rotate = (...args: readonly string[]) => [
  'rotate',
  '--network',
  network,
  '--to',
  fileOf(young),
  ...args,
]

const serving = (sponsor: Sponsor) =>
  world.env(sponsor, {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
  })

test('svc rotate moves a running service to another sponsor, also after a kill', {
  timeout: 240_000,
}, async () => {
  const [payer, seller] = [await openWallet(world.localnet), await openWallet(world.localnet, 1n)]
  const pay = async (url: string | undefined) => {
    // Where ledgers close on sending only, a minute may have passed since the last one: transactions would be too late.
    await world.localnet.closeLedger()
    const body = await payment(world.localnet, { payer, payTo: seller.address })
    const response = await fetch(`${url}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  using before = new SvcProcess(serving(old), 'serve')
  const [, oldUrl] = await before.printed(/"url":"([^"]+)".*Service is listening/)
  expect(await pay(oldUrl)).toMatchObject({ success: true })

  const planned = await runHere(world.env(old), ...rotate('--dry-run'))
  expect(planned).toMatchObject({
    code: 0,
    lines: [
      {
        network,
        ok: true,
        dryRun: true,
        from: old.address,
        to: young.address,
        create: COUNT,
        locksXlm: '2',
        stillServedBy: [hostname()],
        merge: COUNT,
        returnsXlm: '2',
      },
    ],
  })
  expect(channelsOnLedger(world, young, COUNT)).toBe(0)

  const waits = new RegExp(`${hostname()} still serves the other sponsor`)
  {
    using killed = new SvcProcess(world.env(old), ...rotate())
    await killed.printed(waits)
    expect(await killed.end('SIGKILL')).toBeNull()
  }
  expect(await storedStates(world, young)).toEqual(['active'])
  expect(await pay(oldUrl)).toMatchObject({ success: true })

  await world.localnet.closeLedger()
  using rotating = new SvcProcess(world.env(old), ...rotate())
  await rotating.printed(waits)
  using after = new SvcProcess(serving(young), 'serve')
  const [, newUrl] = await after.printed(/"url":"([^"]+)".*Service is listening/)
  expect(await pay(newUrl)).toMatchObject({ success: true })
  expect(await before.end('SIGTERM')).toBe(0)
  const { code } = await rotating.ended
  expect(rotating.output).toContain(`"merged":${COUNT},"gone":0`)
  expect(code).toBe(0)
  expect(await pay(newUrl)).toMatchObject({ success: true })
  expect(onLedger(world, old.address)).toBeUndefined()
  expect(await storedStates(world, old)).toEqual(['retired'])

  // With the new seed configured, as after the restart, the old one comes from its file.
  const again = await runHere(world.env(young), ...rotate('--from', fileOf(old)))
  expect(again).toMatchObject({ code: 0, lines: [{ created: 0, merged: 0, leftXlm: null }] })
  const same = await runHere(world.env(young), ...rotate())
  expect(same).toMatchObject({ code: 1, lines: [{ ok: false }] })
  expect(same.lines[0].problems[0]).toContain(
    'the seeds of the old and of the new sponsor are the same',
  )
})

test('svc rotate says what is wrong with its files, and prints no seed', async () => {
  const broken = join(folder, 'broken')
  writeFileSync(broken, `${young.secret}x`)
  const cases = [
    { args: ['rotate'], says: '--to is missing' },
    {
      args: ['rotate', '--to', join(folder, 'none')],
      says: '--to names a file that does not exist',
    },
    { args: ['rotate', '--to', broken], says: '--to: the file must be a secret seed (S...)' },
  ]
  for (const { args, says } of cases) {
    const refused = await runHere(world.env(old), ...args)
    expect(refused.err).toContain(says)
    expect(refused).toMatchObject({ code: 64, lines: [] })
    expect(refused.err).not.toContain(young.secret)
  }
})

test('at a terminal it shows the plan, and does nothing without yes', async () => {
  await runHere(world.env(old), 'provision')
  await sql`delete from replica_heartbeats`.execute(world.store.db)
  await writeHeartbeats(world.store.db, 'pod-b/1', [{ network, sponsor: young.address }])
  // It does not age while these processes start.
  await sql`update replica_heartbeats set seen_at = seen_at + interval '1 hour'`.execute(
    world.store.db,
  )
  const refused = await typedHere(world.env(old), rotate(), { types: 'no' })
  expect(refused).toMatchObject({ code: 3, lines: [] })
  expect(refused.shown).toMatch(
    new RegExp(`^ {2}old sponsor +${old.address}, 49\\.\\d+ XLM\\r?$`, 'm'),
  )
  expect(refused.shown).toMatch(/^ {2}create +2 accounts, 2 channels in all: locks 2 XLM/m)
  expect(channelsOnLedger(world, young, COUNT)).toBe(0)
  await world.localnet.closeLedger()
  const done = await typedHere(world.env(old), rotate(), { types: 'yes' })
  expect(done).toMatchObject({ code: 0, lines: [{ problems: [], created: COUNT, merged: COUNT }] })
})
