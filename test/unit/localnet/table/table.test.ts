/** Every row of the table, on one network that goes back to the same ledger before each. */
import { beforeAll, describe, test } from 'vitest'
import { allRows } from './rows.ts'
import { runRow } from './run-row.ts'
import { openStartingLedger, type StartingLedger } from './starting-ledger.ts'

let ledger: StartingLedger

beforeAll(async () => {
  ledger = await openStartingLedger()
})

describe.each(Object.entries(allRows))('%s', (_, rows) => {
  test.each(rows)('returns $codes when $when ($rule)', async (row) => {
    await runRow(ledger, row)
  })
})
