import { afterAll, beforeAll, expect, test } from 'vitest'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { addressOf } from './feed-data.ts'
import { type ExplorerWorld, fillPayments, NOW, openWorld } from './world.ts'

/** Each paid once, and the last one twice. */
const ASSETS = 120
const assets = Array.from({ length: ASSETS }, (_, at) => addressOf('C', `asset ${at}`))
const mostPaid = assets.at(-1)!

const opened = new AsyncDisposableStack()
let world: ExplorerWorld
beforeAll(async () => {
  const rows = [...assets, mostPaid].map((asset, at) =>
    paymentRow(`payment ${at}`, { asset, closedAt: NOW / 1_000 - 60 }),
  )
  world = opened.use(
    await openWorld(async (store) => {
      await fillPayments(store, { 'stellar:testnet': rows, 'stellar:pubnet': [] })
    }),
  )
})
afterAll(() => opened.disposeAsync())

test.each(['/ecosystem/timeseries?bucket=hour&hours=1', '/ecosystem/timeseries?days=1'])(
  '%s counts payments of all assets, and has the volumes of the hundred with most',
  async (path) => {
    const [point] = (await world.get(path)).body.points
    expect(point.payments).toBe(ASSETS + 1)
    expect(point.byConfidence['x402-shaped']).toBe(ASSETS + 1)
    expect(point.volume).toHaveLength(100)
    expect(point.volume[0]).toMatchObject({ assetContract: mostPaid, count: 2, total: '200000' })
  },
)
