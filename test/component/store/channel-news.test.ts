import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { claimWithChannel } from '../../../src/store/settlements/claim-with-channel.ts'
import { finishSettlement } from '../../../src/store/settlements/finish.ts'
import { recordEnvelope } from '../../../src/store/settlements/record.ts'
import { releaseClaim } from '../../../src/store/settlements/release.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { addChannels, claimRequest, ending, fence, recording } from './builders.ts'

let database: TestDatabase
let here: Store
let there: Store
beforeAll(async () => {
  database = await freshDatabase()
  const open = () => openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
  here = await open()
  there = await open()
  await addChannels(there, 1)
})
afterAll(async () => {
  await here.close()
  await there.close()
  await database[Symbol.asyncDispose]()
})

/** Counts notifications; `next` resolves at the first one after those counted so far. */
function listening() {
  let count = 0
  let wake = () => {}
  const onFreed = () => {
    count += 1
    wake()
  }
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const listener = here.listenForFreedChannels({ clock: systemClock, onFreed, onError })
  const reach = async (target: number) => {
    while (count < target) await new Promise<void>((resolve) => (wake = resolve))
  }
  return { listener, reach, errors }
}

test('a replica is notified of channels that another one frees, by release and by finish', async () => {
  const { listener, reach, errors } = listening()
  // The first call is for channels that were freed before the connection listened.
  await reach(1)
  await claimWithChannel(there.db, claimRequest('1'))
  await releaseClaim(there.db, fence('1'))
  await reach(2)
  await claimWithChannel(there.db, claimRequest('2'))
  await recordEnvelope(there.db, recording('2'))
  await finishSettlement(there.db, ending('2'))
  await reach(3)
  await listener[Symbol.asyncDispose]()
  expect(errors).toEqual([])
})
