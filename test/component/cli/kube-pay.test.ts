import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../../support/stack.ts'
import { run } from './admin-world.ts'

/* `svc kube pay --url` against a real facilitator on the embedded network. */

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ closeEveryMs: 1_000, tls: true })
}, 60_000)
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
})

const pay = (url: string, ...args: readonly string[]) =>
  run(
    { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: stack.localnet.caFile },
    ...['kube', 'pay', '--url', url, '--rpc', stack.localnet.rpcUrl, ...args],
  )

test('a test payment settles, with a new buyer, and names its transaction', async () => {
  const paid = await pay(stack.baseUrl)
  expect([paid.code, paid.out, paid.err]).toEqual([0, expect.anything(), expect.anything()])
  expect(paid.out).toMatch(/^verify +valid$/m)
  expect(paid.out).toMatch(/^settle +success$/m)
  const [, hash = ''] = /^transaction +([0-9a-f]{64})$/m.exec(paid.out) ?? []
  expect(stack.taken).toContain(hash)
  expect(`${paid.out}${paid.err}`).not.toMatch(/S[A-Z2-7]{55}/)
})

test('no test payment is made on the public network without --real-money', async () => {
  const refused = await pay(stack.baseUrl, '--network', 'stellar:pubnet')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('--real-money')
})

test('a settlement without an answer is repeated with the same bytes, so it is paid once', async () => {
  const settled: string[] = []
  const cutting = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString('utf8')
    const answer = await fetch(stack.baseUrl + request.url, {
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' && { method: 'POST', body }),
    })
    if (request.url === '/settle') settled.push(body)
    const text = await answer.text()
    if (request.url === '/settle' && settled.length === 1) response.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve))
  try {
    const before = stack.taken.length
    const { port } = cutting.address() as AddressInfo
    const paid = await pay(`http://127.0.0.1:${port}`, '--json')
    expect([paid.code, paid.out, paid.err]).toEqual([0, expect.anything(), expect.anything()])
    expect(paid.lines).toMatchObject([{ paid: true, invalidReason: null }])
    expect(settled).toHaveLength(2)
    expect(settled[1]).toBe(settled[0])
    // Trustlines of the two new accounts, and one settlement.
    expect(stack.taken.slice(before)).toHaveLength(3)
  } finally {
    cutting.close()
  }
})
