import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { asStroops } from '../../../src/core/stroops.ts'
import { countChannelUse } from '../../../src/store/channels/count.ts'
import type { Store } from '../../../src/store/open.ts'
import { claimWithChannel } from '../../../src/store/settlements/claim-with-channel.ts'
import { findSettlement } from '../../../src/store/settlements/find.ts'
import { recordEnvelope } from '../../../src/store/settlements/record.ts'
import { restoreSucceeded } from '../../../src/store/settlements/restore.ts'
import {
  addChannels,
  claimRequest,
  keyOf,
  network,
  recording,
  sha256,
  sponsor,
  submit,
} from './builders.ts'
import { emptyTables, openEmptyStore } from './open-stores.ts'

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
})
afterEach(() => emptyTables(store))
afterAll(() => store.close())

const response = { success: true, transaction: sha256('lost') }
const restore = () =>
  restoreSucceeded(store.db, {
    ...{ key: keyOf('1'), attempt: 1, fingerprint: sha256('1'), sponsor },
    facts: claimRequest('1').facts,
    recorded: { ...recording('1'), txHash: sha256('lost'), recordedAtLedger: 7 },
    ...{ response, ledger: 9, feeCharged: asStroops(3n) },
  })
const restored = {
  state: 'succeeded',
  attempt: 1,
  fingerprint: sha256('1'),
  recorded: { txHash: sha256('lost') },
  outcome: { response, ledger: 9, feeCharged: 3n },
}
const find = () => findSettlement(store.db, keyOf('1'))

it('stores a settlement that the store lacks, once', async () => {
  expect(await restore()).toBe(true)
  expect(await find()).toMatchObject(restored)
  expect(await restore()).toBe(false)
})

it('ends a claim of the same authorization, whose channel is free again', async () => {
  await addChannels(store, 1)
  await claimWithChannel(store.db, claimRequest('1'))
  expect(await restore()).toBe(true)
  expect(await find()).toMatchObject(restored)
  expect((await countChannelUse(store.db, network, sponsor)).inUse).toBe(0)
  expect(await recordEnvelope(store.db, recording('1'))).toBe(false)
})

it('leaves a settlement alone that has another envelope', async () => {
  await addChannels(store, 1)
  await submit(store, '1')
  expect(await restore()).toBe(false)
  expect(await find()).toMatchObject({
    state: 'submitted',
    recorded: { txHash: recording('1').txHash },
  })
})
