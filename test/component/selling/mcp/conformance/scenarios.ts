import { expect, test } from 'vitest'
import { toolSeller } from '../../../../../src/package/mcp-server.ts'
import { generations } from '../../../../support/mcp-clients.ts'
import { conformance } from '../../../../support/mcp-conformance.ts'
import type { Shop } from '../shop.ts'
import { price } from '../tools.ts'
import { sellAskedTools } from './asked-tools.ts'
import { servePaid } from './served.ts'

const passed = [
  ...['logging-set-level', 'ping', 'server-initialize', 'tools-call-audio'],
  ...['tools-call-embedded-resource', 'tools-call-error', 'tools-call-image'],
  ...['tools-call-mixed-content', 'tools-call-simple-text', 'tools-call-with-logging'],
  ...['tools-call-with-progress', 'tools-list'],
]
const passedToo = {
  'sdk 1': ['server-sse-multiple-streams', 'tools-call-elicitation', 'tools-call-sampling'],
  'sdk 2': ['json-schema-2020-12'],
}
/** All tools but the one that fails. */
const paidCalls = { 'sdk 1': 9n, 'sdk 2': 7n }

export function conformanceOfPaidTools(shop: () => Shop): void {
  test.each(generations)('paid tools of %s pass the conformance scenarios', async (generation) => {
    const { resources, seller, pay, received } = shop()
    const sale = {
      seller: toolSeller({ resources }),
      payTo: seller.address,
      asks: generation === 'sdk 1',
    }
    await using served = await servePaid(
      generation,
      (server) => sellAskedTools(server, sale),
      (required) => pay(required),
    )
    const before = await received()
    const run = await conformance(`${served.url}/mcp`, `sold by ${generation}`)
    expect(run.code, run.said).toBe(0)
    expect(run.passed).toEqual([...passed, ...passedToo[generation]].sort())
    expect((await received()) - before).toBe(price * paidCalls[generation])
  })
}
