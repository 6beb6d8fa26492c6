import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { sampledLines } from '../../../support/stock/sellers-folder.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'
import { run } from '../../commands/admin-world.ts'
import { runHere } from '../../commands/run-here.ts'

/* `svc pay` and the servers of docs/sellers.md, which are stock packages alone. */

const PRICE = 100_000n

forEachLine({ lines: sampledLines() }, (market) => {
  it.each(['express.mjs', 'hono.mjs', 'fastify.mjs'])('svc pay buys from %s', async (name) => {
    const { stack, folder, seller, buyer, balanceOf } = market()
    await using server = await folder.serve(name, await freePort())
    const env = {
      PATH: process.env['PATH'],
      BUYER_SECRET: buyer.secret,
      NODE_EXTRA_CA_CERTS: stack.localnet.caFile,
      TESTNET_RPC_URL: stack.localnet.rpcUrl,
    }
    const before = await balanceOf(seller.address)

    // No RPC is asked about a price that is refused, so it can run in this process, which does not trust the certificate.
    const low = await runHere(env, 'pay', server.url, '--max', '0.0099999', '--json')
    expect(low).toMatchObject({ code: 1, lines: [{ error: 'too_expensive' }] })
    expect(await balanceOf(seller.address)).toBe(before)

    const paid = await run(env, 'pay', server.url, '--max', '0.01', '--json')
    expect(paid, paid.err).toMatchObject({
      code: 0,
      lines: [{ paid: true, status: 200, receipt: { outcome: 'settled', usdc: '0.01' } }],
    })
    const { transaction } = paid.lines[0].receipt
    expect(stack.localnet.network.transaction(transaction)).toMatchObject({ successful: true })
    expect(await balanceOf(seller.address)).toBe(before + PRICE)
  })
})
