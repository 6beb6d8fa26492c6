import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { sampledLines } from '../../../support/stock/sellers-folder.ts'
import { change, file } from '../../../support/stock/sellers-page.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

const REQUESTS = 5

/** Passes requests on, each that carries a payment several times at once, and answers the first answer. */
async function repeatPayments(target: string) {
  const statuses: number[] = []
  const server = createServer(async (request, response) => {
    const payment = request.headers['payment-signature']
    const headers = typeof payment === 'string' ? { 'payment-signature': payment } : {}
    const copies = payment === undefined ? 1 : REQUESTS
    const answers = await Promise.all(
      Array.from({ length: copies }, async () => {
        const answer = await fetch(target, { headers })
        if (payment !== undefined) statuses.push(answer.status)
        return { answer, text: await answer.text() }
      }),
    )
    const { answer, text } = answers.find((each) => each.answer.status === 200) ?? answers[0]!
    response.writeHead(answer.status, Object.fromEntries(passedOn(answer.headers))).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/joke`,
    statuses,
    [Symbol.dispose]: () => void server.close().closeAllConnections(),
  }
}

const passedOn = (headers: Headers) =>
  [...headers].filter(([name]) => name.startsWith('payment-') || name === 'content-type')

forEachLine({ lines: sampledLines(), withProject: true }, (market) => {
  it.each([
    { name: 'express.mjs', wanted: [change('deliverOnceExpress')], delivered: 1 },
    { name: 'hono.mjs', wanted: [change('deliverOnceHono')], delivered: 1 },
    { name: 'fastify.mjs', wanted: [change('deliverOnceFastify')], delivered: 1 },
    { name: 'express.mjs', wanted: [], delivered: REQUESTS },
  ])(
    'one payment in five requests at once: $name with $wanted.length changes delivers $delivered',
    async (row) => {
      const { folder, seller, balanceOf } = market()
      const before = await balanceOf(seller.address)
      const counting = file(row.name, ...row.wanted).replace(
        "{ joke: 'Two stroops walk into a ledger.' }",
        "(console.log('served'), { joke: 'Two stroops walk into a ledger.' })",
      )
      await folder.save(row.name, counting)
      await using server = await folder.serve(row.name, await freePort())
      using between = await repeatPayments(server.url)

      const { output } = await folder.run('client.mjs', [between.url])

      expect(output).toContain('200 {"joke":')
      expect(between.statuses).toEqual(Array(REQUESTS).fill(200))
      expect(server.output().match(/^served$/gm)).toHaveLength(row.delivered)
      expect(await balanceOf(seller.address)).toBe(before + 100_000n)
    },
  )
})
