import { afterAll, beforeAll, expect, test } from 'vitest'
import { PromptLocalnet } from '../../../support/prompt-localnet.ts'
import { type Stack, startStack } from '../../../support/stack.ts'
import { schemes } from './held.ts'
import { type Deal, type LyingWorld, openLyingWorld, playRound, RETAINED } from './lying-round.ts'
import { lies } from './lying-sellers.ts'

/* Sellers who lie, and settle what they hold through a facilitator that knows nothing of it. */

let stack: Stack
let world: LyingWorld
beforeAll(async () => {
  stack = await startStack({
    ...{ closeEveryMs: 'on-send', tls: true, upto: true, retainLedgers: RETAINED },
  })
  const { localnet, baseUrl: url } = stack
  const { network: ledgers } = localnet
  if (!(ledgers instanceof PromptLocalnet)) throw new TypeError('another network')
  const { body } = await stack.get('/supported')
  const { extra } = body.kinds.find((kind: { scheme: string }) => kind.scheme === 'upto')
  const facilitator = { url, authority: String(extra.authority) }
  world = await openLyingWorld({ localnet, ledgers, facilitator })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await stack?.[Symbol.asyncDispose]()
})

test('another facilitator settles no more than the budget counts', async () => {
  const deals = schemes.flatMap((scheme) =>
    lies.map(
      (lie, n): Deal => ({ scheme, lie, take: 'another facilitator', takesFirst: n % 2 === 0 }),
    ),
  )
  const { above, signed, unsigned, taken } = await playRound(world, {
    deals,
    allowed: deals.length,
  })
  expect({ above, signed, unsigned }).toEqual({ above: 0n, signed: deals.length, unsigned: [] })
  expect(taken).toEqual(
    new Map(schemes.map((scheme) => [`${scheme}: another facilitator`, lies.length])),
  )
})
