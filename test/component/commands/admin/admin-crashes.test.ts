import { expect, test } from 'vitest'
import { network } from '../admin-world.ts'
import {
  allReturned,
  COUNT,
  KilledAdmin,
  provisionContinues,
  retireContinues,
} from './killed-admin.ts'

/* Kills after the envelope in the middle, and where store and ledger differ most; admin-crashes.long.test.ts has the others. */

const admin = KilledAdmin.open()

test('svc retire, killed before it sends its first envelope, continues: its channels are draining by then', async () => {
  await admin.run('provision')
  await admin.killBeforeSending('retire')
  expect(admin.channels).toBe(COUNT)
  expect(await admin.states).toEqual(['draining'])
  const line = { merged: COUNT, stillSponsoring: 0 }
  expect(await admin.run('retire')).toMatchObject({ code: 0, lines: [line] })
  expect(admin.account).toEqual(allReturned)
})

test('svc provision, killed when the ledger has all channels and the store has made none active', async () => {
  await admin.killAfterSending('provision', 3)
  await admin.landSent()
  expect(admin.channels).toBe(COUNT)
  expect(await admin.states).toEqual(['draining'])
  const line = { channels: COUNT, created: 0 }
  expect(await admin.run('provision')).toMatchObject({ code: 0, lines: [line] })
  expect(await admin.states).toEqual(['active'])
})

test('svc provision, killed after its second envelope, continues', () =>
  provisionContinues(admin, 2))

test('svc retire, killed after its second envelope, continues', () => retireContinues(admin, 2))

test('svc retire continues while what it sent is still on its way', async () => {
  expect(await admin.run('provision')).toMatchObject({ code: 0 })
  await admin.killAfterSending('retire', 1)
  // The next one has the same sequence number: one of the two lands, and all channels go.
  using process = admin.start('retire')
  await process.printed(/0 of 41 accounts merged/)
  let code: number | null | undefined
  void process.ended.then((ended) => {
    code = ended.code
  })
  await expect
    .poll(
      async () => {
        await admin.world.localnet.closeLedger()
        return code
      },
      { timeout: 120_000, interval: 50 },
    )
    .toBe(0)
  expect(process.output).toContain('"stillSponsoring":0')
  expect(admin.account).toMatchObject({ sponsoring: 0 })
})

test('svc retire stops at SIGTERM and says so', async () => {
  await admin.run('provision')
  admin.world.ledgers.isHeld = true
  using process = admin.start('retire')
  await process.printed(/0 of 41 accounts merged/)
  expect(await process.end('SIGTERM')).toBe(1)
  expect(process.output).toContain(
    `svc retire: ${network}: stopped by SIGTERM; run the same command again`,
  )
  await admin.world.localnet.closeLedger()
})
