/** An authorization that expires while its payment waits for a channel. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { transactionsAfter } from '../../../../support/ledger-view.ts'
import { type RpcProxy, startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { rowOf as exactRowOf } from '../../store-view.ts'
import { latest, openUptoWorld, rowOf, type UptoWorld } from './upto-world.ts'

let proxy: RpcProxy
let world: UptoWorld
beforeAll(async () => {
  proxy = await startRpcProxy()
  world = await openUptoWorld({
    rpcThrough: proxy.forwardTo,
    network: { channelCount: 1 },
    timings: { rebroadcastMs: 200, channelWaitMs: 60_000, claimTtlMs: 90_000 },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

test.each([
  { scheme: 'upto', code: 'settle_upto_stellar_authorization_expired' },
  { scheme: 'exact', code: 'invalid_exact_stellar_signature_expired' },
])(
  'is refused with the code of its scheme, and nothing is sent: $scheme',
  async ({ scheme, code }) => {
    const { stack, payer, pay, upto } = world
    const { localnet } = stack
    const ledger = latest(world)
    // Holds the only channel: its envelope does not arrive.
    proxy.fail('sendTransaction', { kind: 'swallow' })
    const first = await pay()
    const settling = stack.post('/settle', first)
    await expect.poll(async () => (await exactRowOf(stack, first))?.state).toBe('submitted')

    const plan = { expirationLedger: latest(world) + 2 }
    const body = scheme === 'upto' ? await upto(plan) : await pay(plan)
    const refused = stack.post('/settle', body)
    const rowOfWaiting = () =>
      scheme === 'upto' ? rowOf(stack, body, payer.address) : exactRowOf(stack, body)
    await expect.poll(async () => (await rowOfWaiting())?.state).toBe('claimed')
    for (let closed = 0; closed < 3; closed++) await localnet.closeLedger()
    proxy.heal('sendTransaction')

    expect((await settling).body).toMatchObject({ success: true })
    expect((await refused).body).toMatchObject({
      success: false,
      errorReason: code,
      errorMessage: expect.stringMatching(
        /^the authorization expired after ledger \d+, while the payment waited for a channel; the latest is \d+$/,
      ),
      transaction: '',
    })
    expect(transactionsAfter(localnet.network, ledger)).toHaveLength(1)
    expect((await rowOfWaiting())?.state).toBe('released')
  },
)
