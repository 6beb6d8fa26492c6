import { expect, test } from 'vitest'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { rowOf } from './store-view.ts'
import { openWorld } from './world.ts'

test.each([10, 11, 60, 300])(
  'a price that allows %s s is settled, though the endpoint is a ledger behind',
  async (maxTimeoutSeconds) => {
    await using proxy = await startRpcProxy()
    await using world = await openWorld({
      rpcThrough: proxy.forwardTo,
      timings: { confirmWindowMs: 3_000, rebroadcastMs: 500 },
    })
    const { localnet } = world.stack
    proxy.fail('getLatestLedger', {
      kind: 'rewrite',
      change: (tip) => ({ ...tip, closeTime: String(Number(tip['closeTime']) - 5) }),
    })
    await world.stack.restart()
    const expirationLedger = localnet.network.latest.sequence + 2
    const body = await world.pay({ maxTimeoutSeconds, expirationLedger })

    const { body: answer } = await world.stack.post('/settle', body)

    expect(answer).toMatchObject({ success: true })
    const { maxTime = 0 } = (await rowOf(world.stack, body))?.recorded ?? {}
    // A transaction that vanishes occupies its channel for a minute at most.
    expect(maxTime).toBeLessThanOrEqual(localnet.network.latest.closeTime + 60)
  },
)
