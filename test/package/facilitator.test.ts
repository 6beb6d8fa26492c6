import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { wrapFetchWithPayment } from '@x402/fetch'
import { describe, expect, inject, it, vi } from 'vitest'
import { startLocalnetServer } from '../../src/localnet/server.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/signer.ts'
import { accountWithUsdc, reach, stockClient } from '../support/stock/stock-client.ts'
import { runtimes } from './support/runtimes.ts'

const UNIT = 10_000_000n

/** The program of docs/package.md as it stands there. */
async function program(): Promise<string> {
  const page = await readFile('docs/package.md', 'utf8')
  const [, code] = /```js\n(import \{ paymentMiddleware[\s\S]*?)```/.exec(page) ?? []
  if (code === undefined) throw new Error('docs/package.md has no server')
  return code
}

describe.each(runtimes)('the server of docs/package.md on $node', ({ program: node }) => {
  it('sells to a stock client, logs nothing, and ends by itself', {
    timeout: 120_000,
  }, async () => {
    await using localnet = await startLocalnetServer({ closeEveryMs: 1_000, tls: true })
    reach(localnet)
    const seed = randomBytes(32)
    const { address } = signerFromSeed(seed)
    await localnet.pay({ address, asset: 'XLM', amount: 1_000n * UNIT })
    const [buyer, seller] = [await accountWithUsdc(localnet), await accountWithUsdc(localnet)]

    const { folder } = inject('installed')
    const file = join(await mkdtemp(join(folder, 'server-')), 'server.js')
    await writeFile(file, await program())
    const child = spawn(node, [file], {
      env: {
        PORT: '0',
        RPC_URL: localnet.httpUrl,
        SPONSOR_SECRET: secretOfSeed(seed),
        PAY_TO: seller.address,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'exit')
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (each) => (printed += each))
    try {
      await vi.waitUntil(() => printed.includes('\n') || child.exitCode !== null, {
        timeout: 60_000,
      })
      const url = /^http:\S+$/m.exec(printed)?.[0]
      expect(url, printed).toBeDefined()
      const pay = wrapFetchWithPayment(fetch, stockClient(localnet, buyer))
      const answer = await pay(`${url}/weather`)
      expect(answer.status).toBe(200)
      expect(await answer.json()).toEqual({ weather: 'sunny' })
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      expect(printed).toBe(`${url}\n`)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
