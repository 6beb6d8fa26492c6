import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../../../support/stack.ts'
import { run } from '../admin-world.ts'

/* `svc kube pay --url` against a real facilitator on the embedded network. */

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ closeEveryMs: 1_000, tls: true })
})
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

/** Passes requests on, and cuts the connection instead of the first answer to this path. */
async function cutting(path: string) {
  const sent: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString('utf8')
    const answer = await fetch(stack.baseUrl + request.url, {
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' && { method: 'POST', body }),
    })
    if (request.url === path) sent.push(body)
    const text = await answer.text()
    if (request.url === path && sent.length === 1) response.destroy()
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, sent, [Symbol.dispose]: () => void server.close() }
}

test('a settlement without an answer is repeated with the same bytes, so it is paid once', async () => {
  using facilitator = await cutting('/settle')
  const before = stack.taken.length
  const paid = await pay(facilitator.url, '--json')
  expect([paid.code, paid.out, paid.err]).toEqual([0, expect.anything(), expect.anything()])
  expect(paid.lines).toMatchObject([{ paid: true, invalidReason: null }])
  expect(facilitator.sent).toHaveLength(2)
  expect(facilitator.sent[1]).toBe(facilitator.sent[0])
  // Trustlines of the two new accounts, and one settlement.
  expect(stack.taken.slice(before)).toHaveLength(3)
})

test('a verification without an answer leaves the outcome unknown: the facilitator has the signature', async () => {
  using facilitator = await cutting('/verify')
  const { code, lines, err } = await pay(facilitator.url, '--json')
  expect({ code, lines, err }).toMatchObject({
    code: 2,
    lines: [{ paid: null, settle: { paid: null } }],
    err: expect.stringContaining('svc pay status testnet_'),
  })
})
