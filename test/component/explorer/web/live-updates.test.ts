import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ExplorerReads } from '../../../../src/explorer/reads.ts'
import type { EpochKey } from '../../../../src/explorer/store/ingest/progress.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { openEventStream, rowKeysOf } from '../../../support/explorer/event-stream.ts'
import { startPagesServer } from '../../../support/explorer/pages-server.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { beginNetwork, ingestPayments } from '../../../support/explorer/seed-explorer.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const buyers = [`G${'A'.repeat(55)}`, `G${'B'.repeat(55)}`] as const
/** Waits for a fact; a store of a busy machine may take seconds. */
const soon = { timeout: 120_000, interval: 20 }

let store: Store
let epoch: EpochKey
let ledger = 1_000
let closedAt = Math.floor(Date.now() / 1_000) - 100_000

beforeAll(async () => {
  store = await openEmptyStore()
  epoch = await beginNetwork(store.db, network, { ledger, closedAt }, new Date(0))
})
afterAll(() => store.close())

/** Closes a ledger with this many payments of each buyer; gives the hashes of the first buyer's. */
async function closeLedger(count: number): Promise<readonly string[]> {
  ledger += 1
  closedAt += 5
  const rows = buyers.flatMap((buyer) =>
    Array.from({ length: count }, (_, n) =>
      paymentRow(`${ledger}/${buyer}/${n}`, { ledger, closedAt, buyer }),
    ),
  )
  await ingestPayments(store.db, epoch, rows)
  return rows.flatMap((row) => (row.buyer === buyers[0] ? [row.txHash] : []))
}

/** Counts the reads of new payments, without those of marks alone. */
const counting =
  (counted: { reads: number }) =>
  (reads: ExplorerReads): ExplorerReads => ({
    ...reads,
    newPayments: (after, limit) => {
      if (limit > 0) counted.reads += 1
      return reads.newPayments(after, limit)
    },
  })

const livePath = `/ui/live?buyer=${buyers[0]}`

test('a page that loses its connection again and again shows every payment once', async () => {
  await using server = await startPagesServer({ db: store.db })
  const page = await (await fetch(`${server.baseUrl}/ui/payments?buyer=${buyers[0]}`)).text()
  const first = /data-live="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
  const written: string[] = []
  const shown: string[] = []
  let last: string | undefined

  for (let round = 0; round < 12; round += 1) {
    // Some ledgers close while nothing is connected, also with more payments than one read takes.
    written.push(...(await closeLedger(round % 4 === 1 ? 130 : round % 3)))
    const stream = await openEventStream(server.baseUrl + first, last)
    written.push(...(await closeLedger(1)))
    server.wake()
    // It is cut anywhere: before the first event, between two, or after all.
    await vi.waitFor(() => expect(stream.events.length).toBeGreaterThanOrEqual(round % 2), soon)
    await stream.close()
    shown.push(...rowKeysOf(stream.events))
    last = stream.events.at(-1)?.id ?? last
  }
  const end = await openEventStream(server.baseUrl + first, last)
  await vi.waitFor(
    () => expect(shown.length + rowKeysOf(end.events).length).toBe(written.length),
    soon,
  )
  await end.close()
  shown.push(...rowKeysOf(end.events))
  expect(shown.toSorted()).toEqual(written.toSorted())
})

test('one read serves all pages, whatever their filters and wherever they continue', async () => {
  const counted = { reads: 0 }
  await using server = await startPagesServer({ db: store.db, readsThrough: counting(counted) })
  const missed: string[][] = [[]]
  for (let ledgers = 0; ledgers < 4; ledgers += 1) missed.push([...(await closeLedger(1))])
  const streams = await Promise.all(
    missed.map((_, ledgersAgo) => {
      const mark = `${network}.${closedAt - 5 * ledgersAgo}`
      return openEventStream(`${server.baseUrl}/ui/live?buyer=${buyers[0]}&after=${mark}`)
    }),
  )
  const other = await openEventStream(`${server.baseUrl}/ui/live?scheme=upto`)
  await vi.waitFor(() => {
    expect(rowKeysOf(streams.at(-1)?.events ?? []).length).toBe(4)
    expect(other.events.length).toBe(1)
  }, soon)
  counted.reads = 0
  const written = await closeLedger(3)
  server.wake()
  await vi.waitFor(() => {
    for (const [ledgersAgo, { events }] of streams.entries()) {
      const expected = [...missed.slice(missed.length - ledgersAgo).flat(), ...written]
      expect(rowKeysOf(events).toSorted()).toEqual(expected.toSorted())
    }
  }, soon)
  expect(counted.reads).toBe(1)
  expect(rowKeysOf(other.events)).toEqual([])
  for (const stream of [...streams, other]) await stream.close()
})

test('an address has ten connections at most; a closed one makes room', async () => {
  await using server = await startPagesServer({ db: store.db })
  const open = () => openEventStream(server.baseUrl + livePath)
  const streams = await Promise.all(Array.from({ length: 10 }, open))
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect((await open()).status).toBe(503)
  await streams[0]?.close()
  await vi.waitFor(async () => {
    const next = await open()
    await next.close()
    expect(next.status).toBe(200)
  }, soon)
  for (const stream of streams) await stream.close()
})

test('a page that is too far behind is told to load again', async () => {
  await using server = await startPagesServer({ db: store.db })
  const stream = await openEventStream(server.baseUrl + livePath, `${network}.${closedAt - 90_000}`)
  await stream.ended
  expect(stream.events.at(-1)).toMatchObject({ event: 'stale', id: `${network}.${closedAt}` })
})

test('connections end when the updates do, and none is taken after', async () => {
  const server = await startPagesServer({ db: store.db })
  const stream = await openEventStream(server.baseUrl + livePath)
  await server[Symbol.asyncDispose]()
  await stream.ended
})

test('a filter that no payment can match is refused', async () => {
  await using server = await startPagesServer({ db: store.db })
  expect((await openEventStream(`${server.baseUrl}/ui/live?buyer=me`)).status).toBe(400)
})
