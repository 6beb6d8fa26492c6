/** The contract clients of both generations of the SDK, end to end on the USDC contract. */
import { contract as contract17, type Keypair } from '@stellar/stellar-sdk'
import { contract as contract14, Keypair as Keypair14 } from 'stellar-sdk-14'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { fundedAccounts } from '../../support/funded.ts'
import { usdcOf } from '../../support/ledger-view.ts'
import { USDC_CONTRACT } from './test-network.ts'

let server: LocalnetServer
let source: Keypair
let payer: Keypair
let payee: Keypair
beforeAll(async () => {
  server = await startLocalnetServer({ closeEveryMs: 100 })
  const [first, second, third] = await fundedAccounts(server.network, [
    {},
    { usdc: 100n },
    { usdc: 0n },
  ])
  if (!first || !second || !third) throw new Error('not funded')
  source = first
  payer = second
  payee = third
})
afterAll(() => server.close())

interface Sent {
  readonly result: unknown
  readonly needed: readonly string[]
}

/** The calls of the tests, implemented for the classes of each SDK. */
interface Driver {
  balance(of: string): Promise<unknown>
  /** `payer` signs an authorization entry, `source` the transaction. */
  transfer(amount: bigint): Promise<Sent>
  /** Rejects with the client's error for a failing call. */
  failing(amount: bigint): Promise<unknown>
}

const options = () => ({
  contractId: USDC_CONTRACT,
  rpcUrl: server.httpUrl,
  networkPassphrase: server.network.passphrase,
  publicKey: source.publicKey(),
  allowHttp: true,
})

async function open17(): Promise<Driver> {
  const { networkPassphrase } = options()
  const signer = contract17.basicNodeSigner(source, networkPassphrase)
  const client = await contract17.Client.from({ ...options(), ...signer })
  type Call<T> = (args: object) => Promise<contract17.AssembledTransaction<T>>
  const balance: Call<bigint> = Reflect.get(client, 'balance')
  const transfer: Call<null> = Reflect.get(client, 'transfer')
  const parties = () => ({ from: payer.publicKey(), to: payee.publicKey() })
  return {
    balance: async (id) => (await balance({ id })).result,
    transfer: async (amount) => {
      const call = await transfer({ ...parties(), amount })
      const needed = call.needsNonInvokerSigningBy()
      await call.signAuthEntries({
        address: payer.publicKey(),
        ...contract17.basicNodeSigner(payer, networkPassphrase),
      })
      return { result: (await call.signAndSend()).result, needed }
    },
    failing: async (amount) => (await transfer({ ...parties(), amount })).result,
  }
}

async function open14(): Promise<Driver> {
  const { networkPassphrase } = options()
  const key = (of: Keypair) => Keypair14.fromSecret(of.secret())
  // Version 14 downloads a contract's interface only from its wasm, and an asset contract has none.
  const { spec } = await contract17.Client.from(options())
  const entries = spec.entries.map((entry) => entry.toXdr('base64'))
  const client = new contract14.Client(new contract14.Spec(entries), {
    ...options(),
    ...contract14.basicNodeSigner(key(source), networkPassphrase),
  })
  type Call<T> = (args: object) => Promise<contract14.AssembledTransaction<T>>
  const balance: Call<bigint> = Reflect.get(client, 'balance')
  const transfer: Call<null> = Reflect.get(client, 'transfer')
  const parties = () => ({ from: payer.publicKey(), to: payee.publicKey() })
  return {
    balance: async (id) => (await balance({ id })).result,
    transfer: async (amount) => {
      const call = await transfer({ ...parties(), amount })
      const needed = call.needsNonInvokerSigningBy()
      await call.signAuthEntries({
        address: payer.publicKey(),
        ...contract14.basicNodeSigner(key(payer), networkPassphrase),
      })
      return { result: (await call.signAndSend()).result, needed }
    },
    failing: async (amount) => (await transfer({ ...parties(), amount })).result,
  }
}

describe.each([
  ['stellar-sdk 17', open17],
  ['stellar-sdk 14', open14],
])('contract.Client of %s', (_, open) => {
  it('reads without sending anything', async () => {
    const driver = await open()
    const address = payer.publicKey()
    expect(await driver.balance(address)).toBe(usdcOf(server.network, address))
  })

  it('moves the balance of a payer that signs only an authorization entry', async () => {
    const driver = await open()
    const before = usdcOf(server.network, payee.publicKey()) ?? 0n
    const { result, needed } = await driver.transfer(25n)
    expect(needed).toEqual([payer.publicKey()])
    expect(result ?? null).toBeNull()
    expect(usdcOf(server.network, payee.publicKey())).toBe(before + 25n)
  })

  it('reports why a call fails', async () => {
    const driver = await open()
    await expect(driver.failing(10n ** 12n)).rejects.toThrow(/Error\(Contract, #10\)/)
  })
})
