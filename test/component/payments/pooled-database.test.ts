import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { openWallet, payment } from '../../support/payments.ts'
import { noPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { startStack } from '../../support/stack.ts'

const POOLED = /connection pooler shares the connection/

/** PgBouncer has two server connections, the replicas ten connections each. */
test('two replicas behind PgBouncer settle over one channel, repeat answers, and say once that they poll', {
  timeout: 240_000,
}, async ({ skip }) => {
  if (noPgBouncer !== undefined) return skip(noPgBouncer)
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  await using database = await freshDatabase()
  await using bouncer = await startPgBouncer({ serverUrl: database.url, poolSize: 2 })
  await using stack = await startStack({
    store: { kind: 'postgres', url: bouncer.through(database.url), poolSize: 10 },
    network: { channelCount: 1 },
    timings: { channelWaitMs: 30_000, claimTtlMs: 60_000 },
    closeEveryMs: 'on-send',
    logger: createLogger({ destination }),
  })
  await using other = await stack.replica()
  const [payer, seller] = await Promise.all([
    openWallet(stack.localnet),
    openWallet(stack.localnet, 1n),
  ])
  const bodies = await Promise.all(
    Array.from({ length: 6 }, () => payment(stack.localnet, { payer, payTo: seller.address })),
  )
  const [evenReplica, oddReplica] = [stack, other]
  const answers = await Promise.all(
    bodies.map((body, index) => (index % 2 ? oddReplica : evenReplica).post('/settle', body)),
  )
  expect(answers.map(({ body }) => body)).toMatchObject(bodies.map(() => ({ success: true })))
  const repeats = await Promise.all(
    bodies.map((body, index) => (index % 2 ? evenReplica : oddReplica).post('/settle', body)),
  )
  expect(repeats.map(({ body }) => body)).toEqual(answers.map(({ body }) => body))
  expect(lines.filter((line) => POOLED.test(line))).toHaveLength(2)
})
