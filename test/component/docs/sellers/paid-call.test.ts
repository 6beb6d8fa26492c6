import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

const servers = ['express.mjs', 'hono.mjs', 'fastify.mjs']
const PRICE = 100_000n

forEachLine({}, (market) => {
  it.each(servers)('%s sells to both clients, for money on the ledger', async (name) => {
    const { stack, folder, seller, balanceOf } = market()
    await using server = await folder.serve(name, await freePort())
    const before = await balanceOf(seller.address)

    const paid = await folder.run('client.mjs', [server.url])

    expect(paid).toMatchObject({ code: 0, output: expect.stringContaining('200 {"joke":') })
    const hash = /transaction: '([0-9a-f]{64})'/.exec(paid.output)?.[1] ?? ''
    expect(stack.localnet.network.transaction(hash)).toMatchObject({ successful: true })
    expect(await balanceOf(seller.address)).toBe(before + PRICE)

    const paidAgain = await folder.run('client-axios.mjs', [server.url])

    expect(paidAgain).toMatchObject({ code: 0, output: expect.stringContaining('200 { joke:') })
    expect(await balanceOf(seller.address)).toBe(before + 2n * PRICE)
  })

  it.each(servers)('%s answers nobody for free', async (name) => {
    await using server = await market().folder.serve(name, await freePort())
    for (const method of ['GET', 'HEAD']) {
      expect((await fetch(server.url, { method })).status).toBe(402)
    }
  })
})
