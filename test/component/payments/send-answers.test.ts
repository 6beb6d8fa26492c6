import { expect, test } from 'vitest'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { rowOf } from './store-view.ts'
import { openWorld } from './world.ts'

test('an ERROR without a result code is no refusal: the ledger decides', async () => {
  await using proxy = await startRpcProxy()
  await using world = await openWorld({ rpcThrough: proxy.forwardTo })
  const { stack } = world
  const body = await world.pay()
  const before = stack.localnet.network.latest.sequence
  const change = (result: object) => ({ ...result, status: 'ERROR' })
  proxy.fail('sendTransaction', { kind: 'rewrite', change }, 1)

  const { body: answer } = await stack.post('/settle', body)

  expect(answer).toMatchObject({ success: true })
  expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded' })
  const hashes = transactionsAfter(stack.localnet.network, before).map(({ hash }) => hash)
  expect(hashes).toEqual([answer.transaction])
})
