/** Every row of the table, on one network that goes back to the same ledger before each. */
import { beforeAll, describe, test } from 'vitest'
import { everyRow } from './rows.ts'
import { runRow } from './run-row.ts'
import { openWorld, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})

describe.each(Object.entries(everyRow))('%s', (_, rows) => {
  test.each(rows)('answers $codes when $when ($rule)', async (row) => {
    await runRow(world, row)
  })
})
