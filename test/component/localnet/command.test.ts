import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Keypair, Operation, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'
import { runHere } from '../commands/run-here.ts'
import { callRpc, UPTO_CONTRACT, USDC_CONTRACT } from './test-network.ts'

const program = svcProgram()

interface Ready {
  readonly rpcUrl: string
  readonly [member: string]: unknown
}

/** The command in its own process, which ends with the scope. */
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

/** Starts the command, uses it, and stops it with a signal. */
async function runOnce<T>(flags: readonly string[], use: (rpcUrl: string) => Promise<T>) {
  await using command = start(...flags)
  const ready = await command.ready()
  const value = await use(ready.rpcUrl)
  command.stop('SIGTERM')
  expect(await command.ended()).toEqual({ code: 0, complaint: '' })
  return { ready, value }
}

/** Sends a transaction, whose ledger closes at once. */
async function payOnce({ rpcUrl, passphrase }: Ready): Promise<void> {
  const server = new rpc.Server(rpcUrl, { allowHttp: true })
  const payer = Keypair.random()
  await fetch(`${rpcUrl}/friendbot?addr=${payer.publicKey()}`)
  const transaction = new TransactionBuilder(await server.getAccount(payer.publicKey()), {
    fee: '100',
    networkPassphrase: String(passphrase),
  })
    .addOperation(Operation.bumpSequence({ bumpTo: '0' }))
    .setTimeout(30)
    .build()
  transaction.sign(payer)
  const { hash } = await server.sendTransaction(transaction)
  expect((await server.getTransaction(hash)).status).toBe('SUCCESS')
}

describe('svc localnet', () => {
  it('prints one line when it is ready, closes a ledger for each transaction with --close-every instant, and SIGINT ends it with 0', async () => {
    await using command = start(
      '--port',
      '0',
      '--tls',
      '--tls-port',
      '0',
      '--close-every',
      'instant',
    )
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
      uptoContract: UPTO_CONTRACT,
      protocol: expect.any(Number),
      limits: 'testnet',
      ledger: 1,
    })
    expect((await callRpc(ready.rpcUrl, 'getHealth')).result?.['status']).toBe('healthy')
    await payOnce(ready)
    command.stop('SIGINT')
    expect(await command.ended()).toEqual({ code: 0, complaint: '' })
  })

  it('continues with the saved ledger, and prints its limits', async () => {
    const state = await mkdtemp(join(tmpdir(), 'localnet-kept-'))
    const flags = ['--port', '0', '--close-every', 'manual', '--state', state]
    try {
      const first = await runOnce([...flags, '--limits', 'none', '--no-upto'], async (url) => {
        const address = Keypair.random().publicKey()
        await fetch(`${url}/friendbot?addr=${address}`)
        return (await callRpc(url, 'getLatestLedger')).result
      })
      expect(first.ready).toMatchObject({ ledger: 1, limits: 'none' })
      expect(first.ready).not.toHaveProperty('uptoContract')
      const second = await runOnce([...flags, '--limits', 'none'], async (url) => {
        return (await callRpc(url, 'getLatestLedger')).result
      })
      expect(second.ready).toMatchObject({ ledger: 2, limits: 'none' })
      // A kept ledger has what its genesis had.
      expect(second.ready).not.toHaveProperty('uptoContract')
      expect(second.value).toEqual(first.value)
      expect(await runHere({}, 'localnet', ...flags, '--limits', 'testnet')).toMatchObject({
        code: 1,
        err:
          'svc localnet: the ledger under --state is of another network: ' +
          'its limits: none; of this network: testnet.\n',
      })
    } finally {
      await rm(state, { recursive: true })
    }
  })

  it('does not change a file of another format', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'localnet-kept-'))
    const file = join(folder, 'letter.gz')
    try {
      await writeFile(file, 'Dear reader')
      const { code, err } = await runHere({}, 'localnet', '--port', '0', '--state', file)
      expect(code).toBe(1)
      expect(err).toContain(`${file} was not written by svc localnet`)
      expect(await readFile(file, 'utf8')).toBe('Dear reader')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('reports that a port is in use', async () => {
    await using squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const { port } = squatter.address() as AddressInfo
    const { code, err } = await runHere({}, 'localnet', '--port', String(port))
    expect(code).toBe(1)
    expect(err).toContain(`port ${port} is taken`)
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  it('lists the flags with wrong values and exits with 64', async () => {
    expect(await runHere({}, 'localnet', '--port', 'x', '--close-every', 'soon')).toMatchObject({
      code: 64,
      err:
        'svc localnet:\n' +
        '  - --port is a port from 0 to 65535, not x\n' +
        '  - --close-every is a time such as 5s or 250ms, not soon\n' +
        'svc localnet --help says what it takes.\n',
    })
  })
})
