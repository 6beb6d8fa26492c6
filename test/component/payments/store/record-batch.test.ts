import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { claimWithChannel } from '../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../src/payments/store/settlements/claim/release.ts'
import { findSettlement } from '../../../../src/payments/store/settlements/find.ts'
import type { Recording } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { recordBatch } from '../../../../src/payments/store/settlements/transitions/record.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'
import { startPostgresProxy } from '../../platform/database/postgres-proxy.ts'
import {
  addChannels,
  claimRequest,
  fence,
  keyOf,
  NO_TIME,
  network,
  recording,
  sha256,
} from './builders.ts'

describe('envelopes recorded together', () => {
  let store: Store
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterEach(() => emptyTables(store))
  afterAll(() => store.close())

  /** Claims 0 to count - 1, in order, so that each has the channel of its number. */
  const claimAll = async (count: number) => {
    await addChannels(store, count)
    for (let nonce = 0; nonce < count; nonce++) {
      await claimWithChannel(store.db, claimRequest(`${nonce}`))
    }
  }
  const recordingOf = (nonce: number, overrides: Partial<Recording> = {}) =>
    recording(`${nonce}`, { channel: `GCHANNEL${nonce}`, ...overrides })
  const record = (recordings: readonly Recording[]) => {
    const batch = recordBatch(store.db)
    return Promise.all(recordings.map((one) => batch.write(one)))
  }
  const stateOf = async (nonce: number) =>
    (await findSettlement(store.db, keyOf(`${nonce}`)))?.state

  it('are stored each as alone', async () => {
    await claimAll(3)
    const recordings = [0, 1, 2].map((nonce) =>
      recordingOf(nonce, { sequenceUsed: 2n ** 62n + BigInt(nonce) }),
    )
    expect(await record(recordings)).toEqual([true, true, true])
    for (const { key, channel, envelopeXdr, txHash, innerHash, maxTime, ledger } of recordings) {
      expect(await findSettlement(store.db, key)).toMatchObject({
        state: 'submitted',
        recorded: { channel, envelopeXdr, txHash, innerHash, maxTime, recordedAtLedger: ledger },
      })
    }
    expect((await listChannels(store.db, network)).map(({ sequence }) => sequence)).toEqual(
      recordings.map(({ sequenceUsed }) => sequenceUsed),
    )
  })

  it('are refused each alone: lost claims, lost leases, other channels', async () => {
    await claimAll(5)
    await releaseClaim(store.db, fence('1'))
    await claimWithChannel(store.db, claimRequest('2', { claimTtlMs: NO_TIME }))
    const answers = await record([
      recordingOf(0),
      recordingOf(1),
      recordingOf(2, { owner: 'two' }),
      recordingOf(3, { attempt: 2 }),
      recordingOf(4, { channel: 'GCHANNEL1' }),
    ])
    expect(answers).toEqual([true, false, false, false, false])
    expect(await Promise.all([0, 1, 2, 3, 4].map(stateOf))).toEqual([
      'submitted',
      'released',
      'claimed',
      'claimed',
      'claimed',
    ])
  })

  it('fail each alone: one that the database refuses fails no other', async () => {
    await claimAll(4)
    const batch = recordBatch(store.db)
    const recordings = [0, 1, 2, 3].map((nonce) =>
      recordingOf(nonce, nonce === 2 ? { txHash: 'no digest' } : {}),
    )
    const answers = await Promise.allSettled(recordings.map((one) => batch.write(one)))
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(await Promise.all([0, 1, 2, 3].map(stateOf))).toEqual([
      'submitted',
      'submitted',
      'claimed',
      'submitted',
    ])
  })

  it('are recorded once when two of them are for the same claim', async () => {
    await claimAll(1)
    const other = recordingOf(0, { txHash: sha256('another') })
    const answers = await record([recordingOf(0), other])
    expect(answers.toSorted()).toEqual([false, true])
  })
})

it('envelopes that come together take one round trip', async () => {
  await using database = await freshDatabase()
  await using proxy = await startPostgresProxy(database.url)
  await using store = await openStore({ kind: 'postgres', url: proxy.url, poolSize: 1 })
  await addChannels(store, 20)
  for (let nonce = 0; nonce < 20; nonce++) {
    await claimWithChannel(store.db, claimRequest(`${nonce}`))
  }
  const batch = recordBatch(store.db)
  const before = proxy.roundTrips
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, nonce) =>
      batch.write(recording(`${nonce}`, { channel: `GCHANNEL${nonce}` })),
    ),
  )
  expect(proxy.roundTrips - before).toBe(1)
  expect(new Set(answers)).toEqual(new Set([true]))
})
