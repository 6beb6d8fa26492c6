import { Asset } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'
import { readTokenBalance } from '../../../../src/stellar/contracts/token-balance.ts'
import { type RpcClient, rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { Deployer } from '../../../support/contracts.ts'
import { openWallet, usdc } from '../../../support/payments.ts'

const lumens = Asset.native().contractId(passphrases['stellar:testnet'])

describe('the balance of a token', () => {
  let localnet: LocalnetServer
  let deployer: Deployer
  let rpc: RpcClient
  beforeAll(async () => {
    localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
    deployer = new Deployer(localnet)
    const [client] = rpcClients([localnet.httpUrl], { allowHttp: true })
    if (!client) throw new Error('no client')
    rpc = client.client
  })
  afterAll(() => localnet.close())

  const balance = (contract: string, holder: string) => readTokenBalance(rpc, contract, holder)

  test('is that of an account and of a smart account, at the latest ledger', async () => {
    const { address } = await openWallet(localnet, 123_456n)
    const smart = await deployer.smartAccount('quiet', undefined, 654_321n)
    const ledger = localnet.network.latest.sequence
    expect(await balance(usdc, address)).toEqual({ amount: 123_456n, ledger })
    expect(await balance(usdc, smart.address)).toEqual({ amount: 654_321n, ledger })
  })

  test('is zero without a trustline and without an account', async () => {
    const none = await openWallet(localnet, 'none')
    const nowhere = await openWallet(localnet, 'nowhere')
    expect(await balance(usdc, none.address)).toMatchObject({ amount: 0n })
    expect(await balance(usdc, nowhere.address)).toMatchObject({ amount: 0n })
  })

  test('is that of lumens and of a token with a contract of its own', async () => {
    const { address } = await openWallet(localnet, 'none')
    expect(await balance(lumens, address)).toMatchObject({ amount: 100_000_000n })
    const token = await deployer.trickToken('honest')
    await deployer.mint(token, address, 77n)
    expect(await balance(token, address)).toMatchObject({ amount: 77n })
  })
})
