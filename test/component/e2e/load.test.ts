import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fundUsdc } from '../../e2e/support/load/ledger.ts'
import {
  expectNoFailedRequest,
  expectNothingLost,
  type LoadTarget,
  underLoad,
} from '../../e2e/support/load.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import type { Stack } from '../../support/stack.ts'
import type { Json } from '../../support/stale-answers.ts'
import { lines, notInstalled } from '../../support/stock/sellers-folder.ts'
import { answerDroppingProxy } from './answer-dropping-proxy.ts'

const missing = notInstalled(lines[0])
const opened = new AsyncDisposableStack()
const options = { perSecond: 4, maxTimeoutSeconds: 300, isReported: false }
let stack: Stack
let honest: LoadTarget

beforeAll(async () => {
  if (missing !== undefined) return
  stack = opened.use(await openPaymentStack({ network: { channelCount: 12 } }))
  honest = { facilitatorUrl: stack.baseUrl, rpcUrl: stack.localnet.httpUrl }
})
afterAll(() => opened.disposeAsync())
beforeEach(({ skip }) => {
  if (missing !== undefined) skip(missing)
})

const nothing = async () => 'nothing'

test('load without a disaster: each payment is found once, and no request fails', async () => {
  const row = await underLoad(honest, 'none', nothing, options)

  expectNothingLost(row)
  expectNoFailedRequest(row)
  expect(row.done).toBe('nothing')
  expect(row.requests).toBe(2 * row.payments)
})

test('load counts a request without an answer, a transfer that is missing and one too many', async () => {
  await using dropping = await answerDroppingProxy(stack.baseUrl)
  await using rpc = await startRpcProxy()
  rpc.forwardTo(stack.localnet.httpUrl)
  rpc.fail('getEvents', { kind: 'rewrite', change: firstLostSecondDoubled })
  const fund = (address: string, amount: number) => fundUsdc(honest.rpcUrl, address, amount)
  const target = { facilitatorUrl: dropping.url, rpcUrl: rpc.url, fund }

  const row = await underLoad(
    target,
    'a settlement without an answer',
    async () => {
      await dropping.dropNextAnswerOf('/settle')
      return 'dropped'
    },
    options,
  )

  expect(row).toMatchObject({ failed: 1, lost: 1, doubled: 1, untrue: 1, found: row.payments - 1 })
  expect(row.failures).toEqual([
    expect.stringMatching(/^\/settle begun at .* no answer, fetch failed/),
  ])
  expect(() => expectNothingLost(row)).toThrow()
  expect(() => expectNoFailedRequest(row)).toThrow()
})

const firstLostSecondDoubled = (result: Json): Json => {
  const [, second, ...others] = result['events'] as Json[]
  return { ...result, events: [second, second, ...others] }
}
