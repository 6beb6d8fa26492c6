import { Account, Asset, Keypair, MuxedAccount, StrKey, xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { passphrases, usdcIssuers } from '../../../../src/platform/core/caip2.ts'
import { readReceivable } from '../../../../src/stellar/accounts/receivable.ts'
import {
  readTokenMetadata,
  tokenContracts,
} from '../../../../src/stellar/contracts/token-contract.ts'
import type { LedgerEntryXdr } from '../../../../src/stellar/rpc/rpc.ts'
import { type RpcClient, rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { Deployer } from '../../../support/contracts.ts'
import { openWallet, usdc } from '../../../support/payments.ts'

const issuer = usdcIssuers['stellar:testnet']
const lumens = Asset.native().contractId(passphrases['stellar:testnet'])
const nowhere = StrKey.encodeContract(new Uint8Array(32).fill(7))

describe('a token contract', () => {
  let localnet: LocalnetServer
  let deployer: Deployer
  let rpc: RpcClient
  let custom: string
  beforeAll(async () => {
    localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
    deployer = new Deployer(localnet)
    const [client] = rpcClients([localnet.httpUrl], { allowHttp: true })
    if (!client) throw new Error('no client')
    rpc = client.client
    custom = await deployer.trickToken('honest')
    // The contract of lumens exists from its first use.
    await openWallet(localnet, 123n)
  })
  afterAll(() => localnet.close())

  test('is that of a classic asset, or one of its own; one that does not exist is left out', async () => {
    const tokens = await tokenContracts(rpc, [usdc, custom, nowhere, 'no contract'])
    expect([...tokens]).toEqual([
      [usdc, { kind: 'classic', code: 'USDC', issuer }],
      [custom, { kind: 'custom' }],
    ])
  })

  test('says its symbol, name and decimals', async () => {
    expect(await readTokenMetadata(rpc, usdc)).toEqual({
      symbol: 'USDC',
      name: `USDC:${issuer}`,
      decimals: 7n,
    })
    expect(await readTokenMetadata(rpc, lumens)).toMatchObject({ symbol: 'native', decimals: 7n })
  })

  test('need not say anything', async () => {
    expect(await readTokenMetadata(rpc, await deployer.bell())).toEqual({})
    expect(await readTokenMetadata(rpc, nowhere)).toEqual({})
  })

  test('pays an account with a trustline, and none without', async () => {
    const holder = await openWallet(localnet, 1n)
    const without = await openWallet(localnet, 'none')
    const missing = Keypair.random().publicKey()
    const muxed = new MuxedAccount(new Account(holder.address, '0'), '77').accountId()
    const payees = [holder.address, muxed, without.address, missing, 'nobody']
    expect(
      await readReceivable(
        rpc,
        payees.map((payTo) => ({ asset: usdc, payTo })),
      ),
    ).toEqual([true, true, false, false, false])
  })

  test.each([
    ['nothing', 0],
    ['offers alone', 2],
  ])('does not pay an account whose trustline its issuer authorizes for %s', async (_, flags) => {
    const holder = await openWallet(localnet, 1n)
    const limited: Pick<RpcClient, 'ledgerEntries'> = {
      ledgerEntries: async (keys) => {
        const answer = await rpc.ledgerEntries(keys)
        return { ...answer, entries: answer.entries.map((entry) => withFlags(entry, flags)) }
      },
    }
    const payees = [{ asset: usdc, payTo: holder.address }]
    expect(await readReceivable(limited, payees)).toEqual([false])
  })

  test('pays lumens to every account that exists', async () => {
    const without = await openWallet(localnet, 'none')
    const missing = Keypair.random().publicKey()
    const payees = [without.address, missing].map((payTo) => ({ asset: lumens, payTo }))
    expect(await readReceivable(rpc, payees)).toEqual([true, false])
  })

  test('pays a contract that exists', async () => {
    const { address } = await deployer.smartAccount()
    const payees = [address, nowhere].map((payTo) => ({ asset: usdc, payTo }))
    expect(await readReceivable(rpc, payees)).toEqual([true, false])
  })

  test('of its own pays every address, and one that does not exist none', async () => {
    const payTo = Keypair.random().publicKey()
    const payees = [
      { asset: custom, payTo },
      { asset: nowhere, payTo },
    ]
    expect(await readReceivable(rpc, payees)).toEqual([true, false])
  })
})

function withFlags(entry: LedgerEntryXdr, flags: number): LedgerEntryXdr {
  const data = xdr.LedgerEntryData.fromXdr(entry.xdr, 'base64')
  if (data.type !== 'trustline') return entry
  const trustLine = new xdr.TrustLineEntry({ ...data.trustLine, flags })
  return { ...entry, xdr: xdr.LedgerEntryData.trustline(trustLine).toXdr('base64') }
}
