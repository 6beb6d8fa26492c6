import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import { type RpcClient, rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'

const XLM = 10_000_000n

let localnet: LocalnetServer
let rpc: RpcClient
beforeAll(async () => {
  localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
  rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
})
afterAll(() => localnet.close())

const newAddress = () => Keypair.random().publicKey()
const pay = (address: string, amount: bigint) => localnet.pay({ address, asset: 'XLM', amount })
const latest = () => localnet.network.latest.sequence
const moved = (account: string, afterLedger: number, throughLedger = latest()) =>
  rpc.lumensMoved({
    account,
    passphrase: localnet.network.passphrase,
    afterLedger,
    throughLedger,
  })

describe('what moved XLM of an account', () => {
  test('is the creation of the account and each payment, of the ledgers asked for', async () => {
    const address = newAddress()
    const before = latest()
    await pay(address, 5n * XLM)
    const created = latest()
    await pay(address, 2n * XLM)
    const all = await moved(address, before)
    expect([...all.received.values()]).toEqual([7n * XLM])
    expect(all).toMatchObject({ fees: 0n, latestLedger: latest() })
    const first = await moved(address, before, created)
    expect([...first.received.values()]).toEqual([5n * XLM])
    const second = await moved(address, created)
    expect([...second.received.values()]).toEqual([2n * XLM])
  })

  test('sums up to the balance of an account that pays, fees included', async () => {
    const address = newAddress()
    const before = latest()
    await pay(address, 5n * XLM)
    const { received } = await moved(address, before)
    const [faucet = ''] = received.keys()
    const start = (await rpc.accounts([faucet])).get(faucet)?.balance ?? 0n
    const since = latest()
    await pay(address, 3n * XLM)
    await pay(newAddress(), 4n * XLM)
    const { sent, fees } = await moved(faucet, since)
    const paid = [...sent.values()].reduce((sum, amount) => sum + amount, 0n)
    expect(sent.get(address)).toBe(3n * XLM)
    expect(fees).toBeGreaterThan(0n)
    expect((await rpc.accounts([faucet])).get(faucet)?.balance).toBe(start - paid - fees)
  })

  test('is complete over more events than one page has', async () => {
    const address = newAddress()
    const before = latest()
    await pay(address, 1n * XLM)
    const { received } = await moved(address, before)
    const [faucet = ''] = received.keys()
    // Ledgers of the whole network: each payment is a transfer and a fee of the same account.
    const since = latest()
    const payments = 520
    for (let at = 0; at < payments; at += 40) {
      const few = Array.from({ length: Math.min(40, payments - at) }, () => pay(address, XLM))
      await Promise.all(few)
    }
    expect((await moved(faucet, since)).sent.get(address)).toBe(BigInt(payments) * XLM)
  })

  test('is unknown for ledgers that the endpoint does not have', async () => {
    const future = latest() + 10
    const asked = moved(newAddress(), future, future + 1)
    await expect(asked).rejects.toThrow(RpcError)
    await expect(asked).rejects.toMatchObject({ kind: 'rejected' })
  })
})
