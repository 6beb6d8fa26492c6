/** Smart accounts whose call passes its simulation, and that no ledger can execute: the network's limits of one transaction. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Greed } from '../../support/greedy-account.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { openWorld } from './world.ts'

const cases: readonly { readonly greed: Greed; readonly says: RegExp }[] = [
  { greed: { writes: { entries: 3, bytes: 45_000 } }, says: /bytes written/ },
  { greed: { reads: 400 }, says: /entries in its footprint/ },
  { greed: { events: { count: 2, bytes: 8_500 } }, says: /bytes of events/ },
]

test('a payer that exceeds them is refused, holds no channel and costs nothing', async () => {
  await using proxy = await startRpcProxy()
  await using world = await openWorld({ rpcThrough: proxy.forwardTo })
  const { stack, deployer } = world
  for (const { greed, says } of cases) {
    const body = await world.pay({ payer: await deployer.greedyAccount(greed) })
    const sent = proxy.count('sendTransaction')
    const verified = await stack.post('/verify', body)
    expect(verified.body).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_stellar_payload_simulation_failed',
      invalidMessage: expect.stringMatching(says),
    })
    const settled = await stack.post('/settle', body)
    expect(settled.body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_simulation_failed',
      errorMessage: expect.stringMatching(says),
      transaction: '',
    })
    expect(proxy.count('sendTransaction')).toBe(sent)
  }
  const { rows } = await sql<{ leased: string }>`
    select count(*) as leased from channels where lease_settlement is not null`.execute(
    stack.store.db,
  )
  expect(Number(rows[0]?.leased)).toBe(0)
  const settled = await stack.post('/settle', await world.pay())
  expect(settled.body).toMatchObject({ success: true })
})
