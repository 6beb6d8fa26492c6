import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { contract } from '@stellar/stellar-sdk'
import { startLocalnet } from 'stellar-x402/localnet'

const DAY = 86_400

let net, start, token, alice, bob

before(async () => {
  net = await startLocalnet()
  alice = await net.fund()
  bob = await net.fund()
  token = await net.deploy(new URL('token.wasm', import.meta.url), { mode: 0, bell: undefined })
  const { mint } = await clientOf(alice)
  await (await mint({ to: alice.publicKey(), amount: 100n })).signAndSend()
  start = await net.snapshot()
})
beforeEach(() => net.restore(start))
after(() => net.close())

/** The functions of the token; `source` pays for calls and signs their transactions. */
const clientOf = (source) =>
  contract.Client.from({
    contractId: token,
    rpcUrl: net.rpcUrl,
    networkPassphrase: net.networkPassphrase,
    allowHttp: true,
    publicKey: source.publicKey(),
    ...contract.basicNodeSigner(source, net.networkPassphrase),
  })

const balanceOf = async (who) =>
  (await (await clientOf(bob)).balance({ id: who.publicKey() })).result

/** Assembled and simulated, not signed. */
const transfer = async (source, amount) =>
  (await clientOf(source)).transfer({ from: alice.publicKey(), to: bob.publicKey(), amount })

const statusOf = async (call) => (await call.signAndSend()).getTransactionResponse.status

const signAs = (call, key, expiration) =>
  call.signAuthEntries({
    address: key.publicKey(),
    expiration,
    ...contract.basicNodeSigner(key, net.networkPassphrase),
  })

test('the owner transfers as the source of the transaction', async () => {
  assert.equal(await statusOf(await transfer(alice, 30n)), 'SUCCESS')
  assert.deepEqual([await balanceOf(alice), await balanceOf(bob)], [70n, 30n])
})

test('another account sends a transfer that the owner has authorized', async () => {
  const call = await transfer(bob, 30n)
  assert.deepEqual(call.needsNonInvokerSigningBy(), [alice.publicKey()])
  await signAs(call, alice, net.latestLedger.sequence + 100)
  assert.equal(await statusOf(call), 'SUCCESS')
  assert.equal(await balanceOf(bob), 30n)
})

test('nobody transfers what another account owns', async () => {
  const call = await transfer(bob, 30n)
  await assert.rejects(call.signAndSend(), /requires signatures/)
})

test('an authorization ends after its last ledger', async () => {
  const call = await transfer(bob, 30n)
  await signAs(call, alice, net.latestLedger.sequence + 12)
  await net.travel(13 * 5)
  assert.equal(await statusOf(call), 'FAILED')
  assert.equal(await balanceOf(bob), 0n)
})

test('a balance is archived after its TTL, and the next transfer restores it', async (t) => {
  const prepared = await transfer(alice, 30n)
  await net.travel(8 * DAY)
  // The SDK computes time bounds from `Date.now()`.
  t.mock.timers.enable({ apis: ['Date'], now: net.now() })
  assert.equal(await statusOf(prepared), 'FAILED')
  const call = await transfer(alice, 30n)
  const restored = call.simulationData.transactionData.ext
  assert.equal(restored.type, 'resourceExt')
  assert.equal(await statusOf(call), 'SUCCESS')
  assert.equal(await balanceOf(bob), 30n)
})
