import { Asset, Keypair, rpc } from '@stellar/stellar-sdk'
import { type EmbeddedNetwork, type LedgerSnapshot, startLocalnet } from 'stellar-x402/localnet'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { Wallet } from './wallet.ts'

let net: EmbeddedNetwork
let start: LedgerSnapshot
let server: rpc.Server
let alice: Keypair
let bob: Keypair
let usdc: Asset

beforeAll(async () => {
  net = await startLocalnet()
  server = new rpc.Server(net.rpcUrl, { allowHttp: true })
  usdc = new Asset(net.usdc.code, net.usdc.issuer)
  alice = await net.fund({ XLM: '100', USDC: '50' })
  bob = await net.fund({ XLM: '100' })
  start = await net.snapshot()
})
beforeEach(() => net.restore(start))
afterEach(() => vi.useRealTimers())
afterAll(() => net.close())

const stroops = async (key: Keypair) => (await server.getAccountEntry(key.publicKey())).balance

test('a payment arrives', async () => {
  const hash = await new Wallet(alice, net).pay(bob.publicKey(), '2.5')
  expect(await stroops(bob)).toBe(102_5000000n)
  expect(await server.getTransaction(hash)).toMatchObject({ status: 'SUCCESS' })
})

test('a payment is sent again when another device has used the sequence number', async () => {
  const [phone, laptop] = [new Wallet(alice, net), new Wallet(alice, net)]
  await phone.pay(bob.publicKey(), '1')
  await laptop.pay(bob.publicKey(), '2')
  await phone.pay(bob.publicKey(), '1')
  expect(await stroops(bob)).toBe(104_0000000n)
})

test('USDC needs a trustline, and arrives once there is one', async () => {
  const wallet = new Wallet(alice, net)
  await expect(wallet.pay(bob.publicKey(), '5', usdc)).rejects.toMatchObject({
    code: 'paymentNoTrust',
  })
  await new Wallet(bob, net).trust(usdc)
  await wallet.pay(bob.publicKey(), '5', usdc)
  expect((await server.getTrustline(bob.publicKey(), usdc)).balance).toBe(5_0000000n)
})

test('a wallet whose clock is an hour late cannot pay', async () => {
  const wallet = new Wallet(alice, net)
  await net.travel(3600)
  await expect(wallet.pay(bob.publicKey(), '1')).rejects.toMatchObject({ code: 'txTooLate' })
  vi.setSystemTime(net.now())
  await wallet.pay(bob.publicKey(), '1')
  expect(await stroops(bob)).toBe(101_0000000n)
})

test('an account that does not exist is a failed payment', async () => {
  const nobody = Keypair.random().publicKey()
  await expect(new Wallet(alice, net).pay(nobody, '1')).rejects.toMatchObject({
    code: 'paymentNoDestination',
  })
})
