import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { payAndCall } from '../../../src/buying/mcp/payment/pay-and-call.ts'
import {
  type Answer,
  answers,
  meteredOffer,
  offer,
  paidServer,
  settled,
} from '../commands/buying/paid-server.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

/* The Stellar RPC is trusted for what the ledger says: the wallet's owner alone names it. */

let world: BuyerWorld
beforeAll(async () => {
  world = await buyerWorld()
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Names under which a seller could hope that a client reads the address of an RPC. */
const naming = (url: string) => ({
  ...{ url, rpc: url, rpcUrl: url, rpc_url: url, rpcUrls: [url], sorobanRpc: url, horizonUrl: url },
  ...{ rpcConfig: { url }, client: { url }, facilitator: { url, rpcUrl: url } },
})

/** A 402 with the address wherever a seller may write. */
function price(required: ReturnType<typeof offer>, url: string): Answer {
  const [terms] = required.accepts
  const named = {
    ...naming(url),
    ...required,
    resource: { ...naming(url), ...required.resource },
    accepts: [{ ...naming(url), ...terms, extra: { ...naming(url), ...terms?.extra } }],
    extensions: naming(url),
  }
  const header = Buffer.from(JSON.stringify(named)).toString('base64')
  const headers = {
    ...{ 'payment-required': header, location: url, link: `<${url}>; rel="rpc"`, 'x-rpc-url': url },
    'content-type': 'application/json',
  }
  return (_, response) => response.writeHead(402, headers).end(JSON.stringify(named))
}

test.each([
  ['exact', () => offer(world.seller.address)],
  ['upto', () => meteredOffer(world.seller.address)],
])('no seller of %s chooses the Stellar RPC of the wallet', async (_, required) => {
  await using canary = await paidServer(answers(200), answers(200))
  await using server = await paidServer(price(required(), canary.url), answers(200, settled))
  const fetched = vi.spyOn(globalThis, 'fetch')

  await world.pay(await world.ask(server.url), {}, 10_000_000n)

  expect(server.paid).toHaveLength(1)
  expect(canary.calls()).toBe(0)
  const own = new URL(world.stack.localnet.rpcUrl).origin
  const asked = fetched.mock.calls.map(
    ([to]) => new URL(to instanceof Request ? to.url : to).origin,
  )
  // Other parts of this process fetch too; every address that the seller could name is the canary's.
  expect(asked).toContain(own)
  expect(asked).not.toContain(new URL(canary.url).origin)
})

test('no argument of pay_and_call names one', () => {
  const { input } = payAndCall({} as Parameters<typeof payAndCall>[0])
  const url = 'https://api.example/'
  const asked = { url, max: '1' }
  expect(input.parse(asked)).toEqual({ ...asked, method: 'GET' })
  const { url: _url, ...others } = naming(url)
  for (const argument of [...Object.entries(others), ['wallet', naming(url)], ['network', url]]) {
    expect(() => input.parse({ ...asked, ...Object.fromEntries([argument]) })).toThrow(
      'is not supported',
    )
  }
})
