import { randomInt } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Count } from '../../support/paid-once/count.ts'
import { type Killed, prove } from '../../support/paid-once/world.ts'
import { bareDatabase, freshDatabase } from '../../support/postgres.ts'

/* Buyers over HTTP and MCP, while all between them and the ledger fails. `make prove-paid-once` makes thousands of purchases. */

const EACH = Number(process.env['PAID_ONCE'] ?? 300)
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const TIMEOUT_MS = 400_000
let count: Count

beforeAll(async () => {
  await using facilitator = await freshDatabase()
  await using seller = await bareDatabase()
  count = await prove({
    databaseUrls: [facilitator.url, seller.url],
    purchases: { http: EACH, mcp: EACH },
    ...{ atOnce: 24, purchasesPerKill: 20, seed },
    kills: (process.env['KILLS']?.split(',') ?? ['facilitator', 'seller', 'buyer']) as Killed[],
    endsAfterMs: TIMEOUT_MS / 2,
    ...(process.env['LOG'] && { log: (line: string) => process.stderr.write(`${line}\n`) }),
  })
  if (process.env['LOG']) console.error(count)
}, TIMEOUT_MS)

test('each purchase has its goods once, and is paid once', () => {
  const all = 2 * EACH
  expect(count, `seed ${seed}`).toMatchObject({
    ...{ wanted: all, delivered: all, ids: all, transactions: all, goods: all, debits: all },
    ...{ lost: 0, paidForNothing: 0, untrue: 0, otherGoods: 0 },
  })
})
