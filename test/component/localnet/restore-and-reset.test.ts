/** Restoring a snapshot and a reset under a running server, as its clients see it. */
import { describe, expect, it } from 'vitest'
import { startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { fundedAccounts } from '../../support/funded.ts'
import { usdcOf } from '../../support/ledger-view.ts'
import { callRpc } from './test-network.ts'

describe('a running server', () => {
  it('serves a restored snapshot', async () => {
    await using server = await startLocalnetServer({ closeEveryMs: 'manual' })
    const [account] = await fundedAccounts(server.network, [{ usdc: 5n }])
    const address = account?.publicKey() ?? ''
    const snapshot = await server.network.snapshot()
    const { hash } = await server.pay({ address, asset: 'USDC', amount: 3n })
    const status = async () =>
      (await callRpc(server.httpUrl, 'getTransaction', { hash })).result?.['status']
    expect(await status()).toBe('SUCCESS')
    await server.network.restore(snapshot)
    expect(await status()).toBe('NOT_FOUND')
    expect(usdcOf(server.network, address)).toBe(5_0000000n)
  })

  it('serves a new genesis after a reset, and still closes ledgers and runs the faucet', async () => {
    await using server = await startLocalnetServer({ closeEveryMs: 20 })
    await fundedAccounts(server.network, [{ usdc: 5n }, {}])
    await server.network.reset()
    const { result } = await callRpc(server.httpUrl, 'getHealth')
    expect(result).toMatchObject({ status: 'healthy', oldestLedger: 1 })
    const [account] = await fundedAccounts(server.network, [{ usdc: 7n }])
    expect(usdcOf(server.network, account?.publicKey() ?? '')).toBe(7_0000000n)
  })

  it('keeps the configured number of ledgers', async () => {
    await using server = await startLocalnetServer({ closeEveryMs: 'manual', retainLedgers: 3 })
    for (let count = 0; count < 6; count++) await server.closeLedger()
    const { result } = await callRpc(server.httpUrl, 'getHealth')
    expect(result).toMatchObject({ latestLedger: 7, oldestLedger: 5, ledgerRetentionWindow: 3 })
  })
})
