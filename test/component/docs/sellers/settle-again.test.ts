import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { sampledLines } from '../../../support/stock/sellers-folder.ts'
import { change, file } from '../../../support/stock/sellers-page.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

const settlingAgain = (name: string) => file(name, change('settling again'))
const servers = ['express.mjs', 'hono.mjs', 'fastify.mjs']

/** Passes requests on, and cuts the connection instead of the first answer of `/settle`. */
async function loseFirstSettlement(target: string) {
  let isLost = false
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', url = '/' } = request
    const answer = await fetch(target + url, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'POST' && { body }),
    })
    const text = await answer.text()
    if (url === '/settle' && !isLost) {
      isLost = true
      response.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isLost: () => isLost,
    [Symbol.dispose]: () => void server.close().closeAllConnections(),
  }
}

forEachLine({ lines: sampledLines(), timings: { confirmWindowMs: 200 } }, (market) => {
  it.each(servers)('%s settles a pending payment again, until it is final', async (name) => {
    const { stack, folder, seller, hold, balanceOf } = market()
    const before = await balanceOf(seller.address)
    await folder.save(name, settlingAgain(name))
    await using server = await folder.serve(name, await freePort())
    hold(true)
    const buying = folder.run('client.mjs', [server.url])
    await expect.poll(server.output, { timeout: 120_000 }).toMatch(/settling again: pending/)
    hold(false)
    await stack.localnet.closeLedger()

    expect((await buying).output).toContain('200 {"joke":')
    expect(await balanceOf(seller.address)).toBe(before + 100_000n)
  })

  it('settles again after a lost answer, and the buyer pays once', async () => {
    const { stack, folder, buyer, balanceOf } = market()
    const before = await balanceOf(buyer.address)
    await folder.save('express.mjs', settlingAgain('express.mjs'))
    using between = await loseFirstSettlement(stack.baseUrl)
    const through = { FACILITATOR_URL: between.url }
    await using server = await folder.serve('express.mjs', await freePort(), through)

    const { output } = await folder.run('client.mjs', [server.url])

    expect(between.isLost()).toBe(true)
    expect(output).toContain('200 {"joke":')
    expect(await balanceOf(buyer.address)).toBe(before - 100_000n)
  })

  it('the stock server alone keeps the goods of a payment whose answer was lost', async () => {
    const { stack, folder, buyer, balanceOf } = market()
    const before = await balanceOf(buyer.address)
    await folder.save('express.mjs', file('express.mjs'))
    using between = await loseFirstSettlement(stack.baseUrl)
    const through = { FACILITATOR_URL: between.url }
    await using server = await folder.serve('express.mjs', await freePort(), through)

    const { output } = await folder.run('client.mjs', [server.url])

    expect(output).toMatch(/^402 /)
    expect(await balanceOf(buyer.address)).toBe(before - 100_000n)
  })
})
