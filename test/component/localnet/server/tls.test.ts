import { execFile } from 'node:child_process'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { USDC_CONTRACT } from '../test-network.ts'

const run = promisify(execFile)
const client = fileURLToPath(new URL('../tls-client.ts', import.meta.url))

describe('https', () => {
  it('serves the contract client, once Node trusts its authority', async () => {
    await using server = await startLocalnetServer({ tls: true, closeEveryMs: 50 })
    const [payer, payee] = [Keypair.random(), Keypair.random()]
    await server.pay({ address: payer.publicKey(), asset: 'USDC', amount: 10_0000000n })
    await server.pay({ address: payee.publicKey(), asset: 'USDC', amount: 1_0000000n })
    const { passphrase } = server.network
    const args = [
      client,
      server.rpcUrl,
      passphrase,
      USDC_CONTRACT,
      payer.secret(),
      payee.publicKey(),
    ]
    expect(server.rpcUrl).toMatch(/^https:/)
    const trusting = { env: { ...process.env, NODE_EXTRA_CA_CERTS: server.caFile } }
    const { stdout } = await run(process.execPath, args, trusting)
    expect(JSON.parse(stdout)).toEqual({ status: 'SUCCESS', balance: '40000000' })
    const { NODE_EXTRA_CA_CERTS: _, ...untold } = process.env
    await expect(run(process.execPath, args, { env: untold })).rejects.toThrow()
  })

  it('keeps the authority in the state directory, and removes it elsewhere on close', async () => {
    const stateDirectory = await mkdtemp(join(tmpdir(), 'localnet-test-'))
    try {
      await using kept = await startLocalnetServer({
        tls: true,
        stateDirectory,
        closeEveryMs: 'manual',
      })
      await using passing = await startLocalnetServer({ tls: true, closeEveryMs: 'manual' })
      expect(kept.caFile).toBe(join(stateDirectory, 'localnet-ca.pem'))
      await Promise.all([kept.close(), passing.close()])
      await access(join(stateDirectory, 'localnet-ca.pem'))
      await expect(access(passing.caFile ?? '')).rejects.toThrow('ENOENT')
    } finally {
      await rm(stateDirectory, { recursive: true })
    }
  })
})
