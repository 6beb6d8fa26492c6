/** Contracts on an embedded network: what `deploy` takes, and how it refuses. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { startLocalnet } from '../../../../src/package/localnet.ts'
import { clientOf, open, statusOf, tokenWasm } from './support.ts'

const honest = { mode: 0, bell: undefined }

describe('deploy', () => {
  it('takes bytes, a path or a URL, and arguments by name or as values', async () => {
    await using net = await startLocalnet()
    const values = [xdr.ScVal.scvU32(0), xdr.ScVal.scvVoid()]
    const ids = [
      await net.deploy(await readFile(tokenWasm), honest),
      await net.deploy(fileURLToPath(tokenWasm), values),
      await net.deploy(tokenWasm, honest),
    ]
    expect(new Set(ids).size).toBe(3)
    const alice = await net.fund()
    for (const id of ids) {
      const call = await clientOf(net, id, alice)
      const minted = await call('mint', { to: alice.publicKey(), amount: 7n })
      expect(await statusOf(minted)).toBe('SUCCESS')
      expect((await call('balance', { id: alice.publicKey() })).result).toBe(7n)
    }
  })

  it.each([
    ['instant', 'instant'],
    ['manual', 'manual'],
    ['timed', { everyMs: 20 }],
  ] as const)('deploys several at once on a network with %s ledgers', async (_, closing) => {
    await using net = await startLocalnet({ closing })
    const ids = await Promise.all([1, 2, 3].map(() => net.deploy(tokenWasm, honest)))
    expect(new Set(ids).size).toBe(3)
    const wasm = await readFile(tokenWasm)
    for (const id of ids) {
      const deployed = await open(net).getContractWasmByContractId(id)
      expect(Buffer.from(deployed).equals(wasm)).toBe(true)
    }
  })

  it('deploys again after a restore, and after the code was archived', async () => {
    await using net = await startLocalnet()
    const start = await net.snapshot()
    await net.deploy(tokenWasm, honest)
    await net.restore(start)
    const alice = await net.fund()
    await net.deploy(tokenWasm, honest)
    await net.travel(30 * 86_400)
    const call = await clientOf(net, await net.deploy(tokenWasm, honest), alice)
    expect((await call('decimals')).result).toBe(7)
  })

  it.each([
    ['without the arguments of the constructor', []],
    ['with a value of another type', [xdr.ScVal.scvVoid(), xdr.ScVal.scvVoid()]],
  ])('refuses a deployment %s', async (_, args) => {
    await using net = await startLocalnet()
    await expect(net.deploy(tokenWasm, args)).rejects.toThrow(/cannot be deployed/)
    await expect(net.deploy(tokenWasm, honest)).resolves.toMatch(/^C/)
  })

  it('refuses a file that is missing, and bytes that are no contract', async () => {
    await using net = await startLocalnet()
    await expect(net.deploy('/no/such/contract.wasm')).rejects.toThrow(/ENOENT/)
    await expect(net.deploy(new Uint8Array(100))).rejects.toThrow(/cannot be deployed/)
  })
})
