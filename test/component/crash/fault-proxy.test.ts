import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seededRandom } from '../../support/crash-random.ts'
import { type Fault, startFaultProxy } from '../../support/paid-once/fault-proxy.ts'

/* The proxy of the proof that each purchase is paid once does to requests and answers what its faults say. */

/** Bodies in the order in which the server got them. */
let got: string[]
let target: string
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  got.push(body)
  response.setHeader('x-of', 'server').end(`answer to ${body}`)
})
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close().closeAllConnections())
beforeEach(() => {
  got = []
})

/** Does this to bodies that name it, and nothing to others. */
const proxyFor = (fault: Fault) =>
  startFaultProxy({
    targets: () => [target],
    sharesOf: ({ body }) => (body.includes('faulty') ? { [fault]: 1 } : {}),
    random: seededRandom(1),
  })

const send = async (url: string, body: string) =>
  (await fetch(url, { method: 'POST', body })).text()

describe('a request', () => {
  test.each([
    ['request lost', []],
    ['answer lost', ['faulty']],
    ['answer cut', ['faulty']],
  ] as const)('with the fault "%s" has no answer', async (fault, arrived) => {
    await using proxy = await proxyFor(fault)
    await expect(send(proxy.url, 'faulty')).rejects.toThrow()
    expect(got).toEqual(arrived)
    expect(await send(proxy.url, 'good')).toBe('answer to good')
    expect([...proxy.counts]).toEqual([
      [fault, 1],
      ['none', 1],
    ])
  })

  test('that is doubled arrives twice and is answered once', async () => {
    await using proxy = await proxyFor('request doubled')
    expect(await send(proxy.url, 'faulty')).toBe('answer to faulty')
    await expect.poll(() => got).toEqual(['faulty', 'faulty'])
  })

  test('that is overtaken arrives after a later one', async () => {
    await using proxy = await proxyFor('request overtaken')
    const first = send(proxy.url, 'faulty')
    await expect.poll(() => proxy.counts.get('request overtaken')).toBe(1)
    expect(await send(proxy.url, 'good')).toBe('answer to good')
    expect(await first).toBe('answer to faulty')
    expect(got).toContain('faulty')
  })

  test('whose answer is overtaken is answered after a later one', async () => {
    await using proxy = await proxyFor('answer overtaken')
    const order: string[] = []
    const first = send(proxy.url, 'faulty').then((answer) => order.push(answer))
    await expect.poll(() => got).toEqual(['faulty'])
    order.push(await send(proxy.url, 'good'))
    await first
    expect(order).toContain('answer to faulty')
    expect(got).toEqual(['faulty', 'good'])
  })

  test('that is late arrives', async () => {
    await using proxy = await proxyFor('request late')
    expect(await send(proxy.url, 'faulty')).toBe('answer to faulty')
  })
})

test('a server that is gone breaks the connections, and after the faults have ended there are none', async () => {
  let running = [target]
  await using proxy = await startFaultProxy({
    targets: () => running,
    sharesOf: () => ({ 'request lost': 1 }),
    random: seededRandom(1),
  })
  await expect(send(proxy.url, 'good')).rejects.toThrow()
  proxy.heal()
  expect(await send(proxy.url, 'good')).toBe('answer to good')
  running = []
  await expect(send(proxy.url, 'good')).rejects.toThrow()
})

test('the same seed chooses the same faults', async () => {
  const play = async () => {
    await using proxy = await startFaultProxy({
      targets: () => [target],
      sharesOf: () => ({ 'request lost': 0.3, 'answer lost': 0.3 }),
      random: seededRandom(7),
    })
    const fates: boolean[] = []
    for (let n = 0; n < 20; n++) {
      fates.push(
        await send(proxy.url, String(n)).then(
          () => true,
          () => false,
        ),
      )
    }
    return [fates, proxy.counts]
  }
  expect(await play()).toEqual(await play())
})
