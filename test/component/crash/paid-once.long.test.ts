import { randomInt } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Count } from '../../support/paid-once/count.ts'
import { faults } from '../../support/paid-once/fault-proxy.ts'
import { killable, prove } from '../../support/paid-once/world.ts'
import { bareDatabase, freshDatabase } from '../../support/postgres.ts'

/* Buyers over HTTP and MCP, while all between them and the ledger fails. `make prove-paid-once` makes thousands of purchases. */

const EACH = 300
const TIMEOUT_MS = 480_000
const seed = randomInt(2 ** 31)
let count: Count

beforeAll(async () => {
  await using facilitator = await freshDatabase()
  await using seller = await bareDatabase()
  count = await prove({
    databaseUrls: [facilitator.url, seller.url],
    purchases: { http: EACH, mcp: EACH },
    ...{ atOnce: 24, purchasesPerKill: 25, kills: killable, seed },
    beginsForMs: TIMEOUT_MS / 4,
  })
}, TIMEOUT_MS)

test('each purchase has its goods once, and is paid once', () => {
  const { wanted } = count
  expect(wanted).toBeGreaterThan(0)
  const same = { delivered: wanted, ids: wanted, transactions: wanted, goods: wanted }
  expect(count, `seed ${seed}`).toMatchObject({
    ...{ ...same, debits: wanted, lost: 0, paidForNothing: 0, untrue: 0 },
    sayings: [],
  })
})

test('each payment that is sent once more gets the goods that its buyer holds', () => {
  expect(count.otherGoods, `seed ${seed}`).toBe(0)
})

test('the books of the facilitator are the ledger', () => {
  const { offBooks, unfinished, usage, fees } = count
  expect({ offBooks, unfinished }, `seed ${seed}`).toEqual({ offBooks: 0, unfinished: 0 })
  expect(usage.counted, `seed ${seed}`).toBe(usage.made)
  expect(fees.counted, `seed ${seed}`).toBe(fees.charged)
})

test('meanwhile every fault happened between each two, and each of the three was killed', () => {
  for (const [between, counts] of Object.entries(count.faults)) {
    expect([...counts.keys()].toSorted(), between).toEqual([...faults, 'none'].toSorted())
  }
  expect([...count.kills.keys()].toSorted(), `seed ${seed}`).toEqual([...killable].toSorted())
})
