/** Whoever owns a pod chooses what it answers, and what it logs. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { endOf, exchange } from '../../../../../src/kubernetes/plugin/cluster/pod-answer.ts'

const MIB = 1_024 * 1_024
const { signal } = new AbortController()
const question = { namespace: 'shop', pod: 'payments-1', port: 4_020, path: '/health' }

async function ask(body: string) {
  const server = createServer((_, response) => response.end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    return await exchange(connect(port, '127.0.0.1'), question, signal)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

test('an answer of a pod is read up to 1 MiB', async () => {
  expect(await ask('x'.repeat(MIB))).toMatchObject({ status: 200, body: 'x'.repeat(MIB) })
  await expect(ask('x'.repeat(MIB + 1))).rejects.toMatchObject({
    name: 'PortForwardFailed',
    message: expect.stringContaining('more than 1048576 bytes'),
  })
})

test('of a log only its end is shown', async () => {
  async function* log() {
    for (let part = 0; part < 100; part++) yield Buffer.alloc(1_000, `${part % 10}`)
  }
  expect(await endOf(log(), 1_500)).toBe('8'.repeat(500) + '9'.repeat(1_000))
  async function* long() {
    yield Buffer.from(`${'x'.repeat(10_000)}end`)
  }
  expect(await endOf(long(), 3)).toBe('end')
})
