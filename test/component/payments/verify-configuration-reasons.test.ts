import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { type RpcFault, type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { doubledCases, feeCases } from './cases/configuration.ts'
import { proveRefusals } from './refusal-case.ts'
import { openWorld, type World } from './world.ts'

describe('under a low ceiling', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ network: { maxTxFeeStroops: asStroops(10_000n) } })
  })
  afterAll(() => world[Symbol.asyncDispose]())
  proveRefusals(feeCases, () => world)
})

describe('with a faulty endpoint', () => {
  let world: World
  let proxy: RpcProxy
  beforeAll(async () => {
    proxy = await startRpcProxy()
    world = await openWorld({ rpcThrough: proxy.forwardTo })
  })
  afterEach(() => proxy.heal())
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })

  proveRefusals(
    doubledCases(() => proxy),
    () => world,
  )

  test.each<{ when: string; fault: RpcFault }>([
    { when: 'hangs up', fault: { kind: 'hang up' } },
    { when: 'answers HTTP 500', fault: { kind: 'status', status: 500 } },
    { when: 'answers HTTP 429', fault: { kind: 'status', status: 429 } },
    { when: 'answers no JSON', fault: { kind: 'garbage', text: '<html>' } },
    {
      when: 'answers a result of another shape',
      fault: { kind: 'garbage', text: '{"result":{}}' },
    },
    {
      when: 'answers an error',
      fault: { kind: 'garbage', text: '{"error":{"code":-32603,"message":"no"}}' },
    },
  ])('answers unexpected_verify_error with HTTP 503 when it $when', async ({ fault }) => {
    const { stack } = world
    const body = await world.pay()
    const ledger = stack.localnet.network.latest.sequence
    proxy.fail('simulateTransaction', fault)

    const { status, body: refusal } = await stack.post('/verify', body)

    expect({ status, ...refusal }).toMatchObject({
      status: 503,
      isValid: false,
      invalidReason: 'unexpected_verify_error',
      invalidMessage: 'the Stellar network cannot be reached',
      error: { code: 'service_unavailable', retryable: true },
    })
    expect(refusal).not.toHaveProperty('payer')
    await stack.localnet.closeLedger()
    expect(transactionsAfter(stack.localnet.network, ledger)).toEqual([])
  })
})
