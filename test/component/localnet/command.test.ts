import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { callRpc, USDC_CONTRACT } from './localnet-world.ts'

const program = fileURLToPath(new URL('../../../src/cli/svc.ts', import.meta.url))

interface Ready {
  readonly rpcUrl: string
  readonly [member: string]: unknown
}

/** The command in a process of its own; gone when the scope is left. */
function start(...flags: string[]) {
  const child = spawn(process.execPath, [program, 'localnet', ...flags])
  const ended = once(child, 'exit').then(([code]) => ({ code }))
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  const lines = createInterface({ input: child.stdout })
  return {
    ready: async (): Promise<Ready> => {
      for await (const line of lines) return JSON.parse(line)
      throw new Error(`no line was printed: ${complaint}`)
    },
    stop: (signal: NodeJS.Signals) => child.kill(signal),
    ended: async () => ({ ...(await ended), complaint }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe('svc localnet', () => {
  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    'prints one line when it is ready, and %s ends it with 0',
    async (signal) => {
      await using command = start('--port', '0', '--tls', '--tls-port', '0')
      const ready = await command.ready()
      expect(ready).toEqual({
        ready: true,
        rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        httpsUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
        caFile: expect.stringContaining('localnet-ca.pem'),
        friendbot: `${ready.rpcUrl}/friendbot`,
        faucet: `${ready.rpcUrl}/faucet`,
        passphrase: 'Test SDF Network ; September 2015',
        usdc: {
          code: 'USDC',
          issuer: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
          contract: USDC_CONTRACT,
        },
        protocol: expect.any(Number),
      })
      expect((await callRpc(ready.rpcUrl, 'getHealth')).result?.['status']).toBe('healthy')
      command.stop(signal)
      expect(await command.ended()).toEqual({ code: 0, complaint: '' })
    },
  )

  it('says in a sentence that a port is taken', async () => {
    await using first = start('--port', '0', '--close-every', 'manual')
    const { port } = new URL((await first.ready()).rpcUrl)
    await using second = start('--port', port)
    const { code, complaint } = await second.ended()
    expect(code).toBe(1)
    expect(complaint).toContain(`port ${port} is taken`)
    expect(complaint.trim().split('\n')).toHaveLength(1)
  })

  it('lists flags that cannot be meant and exits with 78', async () => {
    await using command = start('--port', 'x', '--close-every', 'soon')
    expect(await command.ended()).toEqual({
      code: 78,
      complaint:
        'svc localnet cannot start:\n' +
        '  - --port is a port from 0 to 65535, not x\n' +
        '  - --close-every is a time such as 5s or 250ms, not soon\n',
    })
  })
})
