import { randomBytes } from 'node:crypto'
import { Account, Address, Asset, Keypair, MuxedAccount, rpc } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'

const USDC = new Asset('USDC', 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5')
const LUMEN = 10_000_000n

let server: LocalnetServer
let sdk: rpc.Server
beforeAll(async () => {
  server = await startLocalnetServer({ closeEveryMs: 'manual' })
  sdk = new rpc.Server(server.httpUrl, { allowHttp: true })
})
afterAll(() => server.close())

const address = () => Keypair.random().publicKey()
const contract = () => Address.contract(new Uint8Array(randomBytes(32))).toString()
interface Told {
  readonly successful?: boolean
  readonly hash: string
  readonly asset?: string
  readonly amount?: string
  readonly extras?: { readonly invalid_field: string; readonly reason: string }
}
const get = async (path: string) => {
  const response = await fetch(`${server.httpUrl}${path}`)
  const body: Told = JSON.parse(await response.text())
  return { status: response.status, body }
}
const lumens = async (of: string) => (await sdk.getAccountEntry(of)).balance
const held = async (of: string, asset: Asset) =>
  (await sdk.getSACBalance(of, asset, server.network.passphrase)).balanceEntry?.amount

describe('/friendbot', () => {
  it('creates an account with 10,000 XLM and responds when its ledger has closed', async () => {
    const to = address()
    const { status, body } = await get(`/friendbot?addr=${to}`)
    expect({ status, successful: body.successful }).toEqual({ status: 200, successful: true })
    expect(await lumens(to)).toBe(10_000n * LUMEN)
    const { status: found } = await sdk.getTransaction(body.hash)
    expect(found).toBe('SUCCESS')
  })

  it('is what requestAirdrop and fundAddress of the SDK expect', async () => {
    const to = address()
    const account = await sdk.requestAirdrop(to)
    expect(account.accountId()).toBe(to)
    expect((await sdk.fundAddress(contract())).status).toBe('SUCCESS')
  })

  it('refuses an account that has 10,000 XLM already, as testnet does', async () => {
    const to = address()
    await get(`/friendbot?addr=${to}`)
    expect(await get(`/friendbot?addr=${to}`)).toEqual({
      status: 400,
      body: {
        type: 'https://stellar.org/friendbot-errors/bad_request',
        title: 'Bad Request',
        status: 400,
        detail: 'account already funded to starting balance',
      },
    })
  })

  it('takes a posted form', async () => {
    const to = address()
    const body = new URLSearchParams({ addr: to })
    const response = await fetch(`${server.httpUrl}/friendbot`, { method: 'POST', body })
    await response.text()
    expect(await lumens(to)).toBe(10_000n * LUMEN)
  })

  it.each(['', 'GABC', 'not an address'])('refuses %j as an address', async (text) => {
    const { status, body } = await get(`/friendbot?addr=${encodeURIComponent(text)}`)
    expect(status).toBe(400)
    expect(body.extras).toEqual({
      invalid_field: 'addr',
      reason: 'invalid address: must be a valid G or C address',
    })
  })
})

describe('/faucet', () => {
  it('creates the account and the trustline before it pays USDC', async () => {
    const to = address()
    const { status, body } = await get(`/faucet?addr=${to}&amount=25.5`)
    expect({ status, asset: body.asset, amount: body.amount }).toEqual({
      status: 200,
      asset: 'USDC',
      amount: '25.5',
    })
    expect((await sdk.getTrustline(to, USDC)).balance).toBe(25_5000000n)
  })

  it('adds to the balance', async () => {
    const to = address()
    await get(`/faucet?addr=${to}&amount=1`)
    await get(`/faucet?addr=${to}&amount=2`)
    expect((await sdk.getTrustline(to, USDC)).balance).toBe(3n * LUMEN)
  })

  it('pays contracts', async () => {
    const to = contract()
    await get(`/faucet?addr=${to}&asset=USDC&amount=7`)
    await get(`/faucet?addr=${to}&asset=XLM&amount=8`)
    expect(await held(to, USDC)).toBe('70000000')
    expect(await held(to, Asset.native())).toBe('80000000')
  })

  it('pays the account of a muxed address', async () => {
    const to = address()
    const muxed = new MuxedAccount(new Account(to, '0'), '42').accountId()
    await get(`/faucet?addr=${muxed}&amount=3`)
    expect((await sdk.getTrustline(to, USDC)).balance).toBe(3n * LUMEN)
  })

  it.each([
    ['asset=EURC', 'asset'],
    ['amount=-1', 'amount'],
    ['addr=G', 'addr'],
  ])('refuses %s and names the parameter', async (query, field) => {
    const addr = query.startsWith('addr') ? '' : `&addr=${address()}`
    const { status, body } = await get(`/faucet?${query}${addr}`)
    expect(status).toBe(400)
    expect(body.extras?.invalid_field).toBe(field)
  })
})
