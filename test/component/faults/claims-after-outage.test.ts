/** A claim whose request ended because the database was away does not outlast the outage. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWallet, type PaymentBody, payment } from '../../support/payments.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { rowOf, untilState } from '../payments/store-view.ts'
import { type Door, startDoor } from './away/door.ts'

const opened = new AsyncDisposableStack()
let door: Door
let stack: Stack
let pay: () => Promise<PaymentBody>
beforeAll(async () => {
  const database = opened.use(await freshDatabase())
  door = opened.use(await startDoor(database.url))
  stack = opened.use(
    await startStack({
      closeEveryMs: 'on-send',
      store: { kind: 'postgres', url: door.url, poolSize: 4 },
      network: { channelCount: 1 },
      // No claim of this file ends because it expires.
      timings: { channelWaitMs: 60_000, claimTtlMs: 600_000 },
    }),
  )
  const { localnet } = stack
  const [payer, seller] = await Promise.all([openWallet(localnet), openWallet(localnet, 1n)])
  pay = () => payment(localnet, { payer, payTo: seller.address })
})
afterAll(() => opened.disposeAsync())

test('one that waited for a channel is released when the database is back, and any replica settles it', async () => {
  await using replica = await stack.replica()
  const [first, waiting] = [await pay(), await pay()]
  stack.hold(true)
  const settling = stack.post('/settle', first)
  await untilState(stack, first, 'submitted')
  const refused = stack.post('/settle', waiting)
  await untilState(stack, waiting, 'claimed')
  await door.close()
  expect((await refused).status).toBe(503)
  await door.open()

  await untilState(stack, waiting, 'released')
  stack.hold(false)
  await stack.localnet.closeLedger()
  expect((await settling).body).toMatchObject({ success: true })
  expect((await replica.post('/settle', waiting)).body).toMatchObject({ success: true })
})

test('one whose record failed does not keep its repeat waiting', async () => {
  const { db } = stack.store
  await sql`create or replace function end_connection() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(db)
  await sql`create or replace trigger connection_ends before update on settlements for each row
    when (new.state = 'submitted') execute function end_connection()`.execute(db)
  const body = await pay()
  const answer = await stack.post('/settle', body)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  await sql`drop trigger connection_ends on settlements`.execute(db)
  await sql`drop function end_connection`.execute(db)

  expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
  expect(await rowOf(stack, body)).toMatchObject({ attempt: 2 })
})
