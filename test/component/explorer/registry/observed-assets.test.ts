import { Asset, StrKey } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { passphrases, usdcIssuers } from '../../../../src/platform/core/caip2.ts'
import { type RpcClient, rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { Deployer } from '../../../support/contracts.ts'
import { openWallet, usdc } from '../../../support/payments.ts'
import { network, openRegistryWorld, patience, type RegistryWorld } from './registry-world.ts'

const lumens = Asset.native().contractId(passphrases[network])
const nowhere = StrKey.encodeContract(new Uint8Array(32).fill(7))
const DAY_MS = 86_400_000

describe('observed assets', () => {
  let localnet: LocalnetServer
  let world: RegistryWorld
  let rpc: RpcClient
  let custom: string
  beforeAll(async () => {
    localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
    world = await openRegistryWorld()
    const [client] = rpcClients([localnet.httpUrl], { allowHttp: true })
    if (!client) throw new Error('no client')
    rpc = client.client
    custom = await new Deployer(localnet).trickToken('honest')
    // The contract of lumens exists from its first use.
    await openWallet(localnet, 1n)
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await localnet.close()
  })
  afterEach(async () => {
    await world.store.db.deleteFrom('explorer_assets').execute()
  })

  const observe = (contract: string, changes: object = {}) =>
    world.store.db
      .insertInto('explorer_assets')
      .values({ network, contract, code: null, issuer: null, decimals: null, ...changes })
      .execute()
  const asset = (contract: string) =>
    world.store.db
      .selectFrom('explorer_assets')
      .selectAll()
      .where('contract', '=', contract)
      .executeTakeFirst()
  const untilAsset = (contract: string, expected: object) =>
    vi.waitFor(async () => expect(await asset(contract)).toMatchObject(expected), patience)
  const msUntilDue = async (contract: string) =>
    Number((await asset(contract))?.due_at) - Date.now()
  const start = (from: Pick<RpcClient, 'ledgerEntries' | 'simulate'> = rpc, onChanged = () => {}) =>
    world.start({ rpcs: new Map([[network, from]]), onChanged })

  test('get code, issuer and decimals from the ledger; of a custom token without an issuer', async () => {
    for (const contract of [usdc, lumens, custom]) await observe(contract)
    const onChanged = vi.fn()
    await using _registry = start(rpc, onChanged)
    await untilAsset(usdc, { code: 'USDC', issuer: usdcIssuers[network], decimals: 7 })
    await untilAsset(custom, { code: 'TRICK', issuer: null, decimals: 7 })
    await untilAsset(lumens, { code: 'XLM', issuer: null, decimals: 7 })
    expect(onChanged).toHaveBeenCalled()
  })

  test('that are proven by payments, or unknown to the ledger, keep what they have', async () => {
    await observe(usdc, { code: 'PROVEN', issuer: 'GISSUER', decimals: 7 })
    await observe(custom, { code: 'PROVEN', issuer: 'GISSUER' })
    await observe(nowhere)
    await using _registry = start()
    await untilAsset(custom, { code: 'PROVEN', issuer: 'GISSUER', decimals: 7 })
    await untilAsset(nowhere, { code: null, decimals: null, checked_at: expect.any(Date) })
    expect(await asset(usdc)).toMatchObject({ code: 'PROVEN', checked_at: null })
    expect(await msUntilDue(nowhere)).toBeGreaterThan(DAY_MS / 2)
  })

  test('are tried again in a minute while the network does not answer', async () => {
    await observe(usdc)
    const down = async () => {
      throw new Error('down')
    }
    {
      await using _registry = start({ ledgerEntries: down, simulate: down })
      await vi.waitFor(async () => expect(await msUntilDue(usdc)).toBeGreaterThan(0), patience)
    }
    expect(await asset(usdc)).toMatchObject({ code: null, checked_at: null })
    expect(await msUntilDue(usdc)).toBeLessThan(61_000)
    await world.store.db
      .updateTable('explorer_assets')
      .set({ due_at: new Date(0) })
      .execute()
    await using _registry = start()
    await untilAsset(usdc, { code: 'USDC' })
  })

  test('are read by one of several processes', async () => {
    await observe(usdc)
    let reads = 0
    const counted: Pick<RpcClient, 'ledgerEntries' | 'simulate'> = {
      simulate: (envelope) => rpc.simulate(envelope),
      ledgerEntries: (keys) => {
        reads += 1
        return rpc.ledgerEntries(keys)
      },
    }
    await using _one = start(counted)
    await using _two = start(counted)
    await untilAsset(usdc, { code: 'USDC' })
    expect(reads).toBe(1)
  })
})
