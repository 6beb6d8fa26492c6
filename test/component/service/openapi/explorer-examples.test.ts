import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sellTwice } from '../../explorer/reads/interface-world.ts'
import { full, pubnet, testnet, who } from '../../explorer/reads/small-ledger.ts'
import {
  type ExplorerWorld,
  fillPayments,
  openWorld,
  registerSeller,
} from '../../explorer/reads/world.ts'
import {
  committedExamples,
  explorerFile,
  type Recording,
  steady,
  writeExamples,
} from './recording.ts'

/**
 * Compares the examples of the explorer's document with what it answers. Records them anew with
 *
 *     RECORD_EXAMPLES=1 npx vitest run test/component/service/openapi/explorer-examples && make generate
 */

const { RECORD_EXAMPLES } = process.env

const opened = new AsyncDisposableStack()
const recorded: Recording = {}
beforeAll(async () => {
  const world = opened.use(
    await openWorld(async (store) => {
      await fillPayments(store, { 'stellar:testnet': testnet, 'stellar:pubnet': pubnet })
      await registerSeller(store, 'stellar:testnet', { address: who.shop, name: 'Shop' })
      await sellTwice(store)
    }),
  )
  for (const [operation, name, summary, path] of requests) {
    await record(world, { operation, name, summary, path })
  }
})
afterAll(() => opened.disposeAsync())

/** Operation, name, summary and path. */
const requests = [
  ['feed', 'page', 'The first page, with a next one', '/feed?network=stellar:testnet&limit=2'],
  ['feed', 'malformed', 'A parameter is malformed', '/feed?limit=0'],
  ['payment', 'observed', 'Of the scheme upto', `/tx/${full.txHash}`],
  ['payment', 'unknown', 'It was not observed', `/tx/${'ab'.repeat(32)}`],
  ['sellers', 'window', 'The most active of a week', '/sellers?window=7d&limit=2'],
  ['seller', 'registered', 'In a catalog', `/seller/${who.shop}?network=stellar:pubnet`],
  ['stats', 'window', 'Of a day', '/stats?window=24h&network=stellar:testnet'],
  ['ecosystem', 'network', 'Of one network', '/ecosystem?network=stellar:pubnet'],
  ['timeseries', 'hours', 'Of two hours', '/ecosystem/timeseries?bucket=hour&hours=2'],
  ['facilitators', 'all', 'Three shares', '/facilitators'],
  ['facilitator', 'announced', 'It announced itself', '/facilitator/other'],
  ['facilitator', 'unknown', 'There is no such facilitator', '/facilitator/unknown'],
  ['asset', 'classic', 'A classic asset', `/asset/${who.usdc}`],
  ['explorerHealth', 'behind', 'A network was not reached yet', '/health'],
] as const

async function record(
  world: ExplorerWorld,
  { operation, name, summary, path }: Record<'operation' | 'name' | 'summary' | 'path', string>,
): Promise<void> {
  const { status, body } = await world.get(path)
  const where = `${operation} ${status}`
  recorded[where] = { ...recorded[where], [name]: { summary, value: body } }
}

describe("the examples of the explorer's document", () => {
  it('are what the explorer answers', () => {
    if (RECORD_EXAMPLES) writeExamples(recorded, explorerFile)
    expect(steady(committedExamples(explorerFile))).toEqual(steady(recorded))
  })
})
