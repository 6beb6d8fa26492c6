import { authorizeEntry, Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { checkPayment } from '../../../src/payments/checks/check-payment.ts'
import { checkSignature } from '../../../src/payments/checks/check-signature.ts'
import { checkSimulation } from '../../../src/payments/checks/check-simulation.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import {
  readTrustlineBalance,
  trustlineKey,
} from '../../../src/stellar/accounts/account-entries.ts'
import { randomSigner } from '../../../src/stellar/accounts/signer.ts'
import type { StellarRpc, TransactionStatus } from '../../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import {
  provisionEnvelope,
  retireEnvelope,
} from '../../../src/stellar/transactions/channel-envelopes.ts'
import {
  buildSettlement,
  simulationEnvelope,
} from '../../../src/stellar/transactions/settlement-envelope.ts'
import {
  addressValue,
  callOf,
  i128,
  passphrase,
  policy,
  request,
  transaction,
  unsignedEntry,
} from '../../unit/payments/protocol/payment-builder.ts'

const ISSUER = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
const inclusionFee = asStroops(150n)
const sponsor = randomSigner()
const channels = [randomSigner(), randomSigner()]
const payer = Keypair.random()
const seller = Keypair.random().publicKey()

let localnet: LocalnetServer
let rpc: StellarRpc

beforeAll(async () => {
  localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
  rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 1_000_0000000n })
  await localnet.pay({ address: payer.publicKey(), asset: 'USDC', amount: 5_0000000n })
  await localnet.pay({ address: seller, asset: 'USDC', amount: 1n })
})

afterAll(() => localnet.close())

const maxTime = async () => BigInt((await rpc.latestLedger()).closeTime + 60)
const stateOf = async (address: string) => (await rpc.accounts([address])).get(address)

const nextSequence = async (address: string) => {
  const state = await stateOf(address)
  if (!state) throw new Error(`${address} does not exist`)
  return state.sequence + 1n
}

async function land(envelopeXdr: string): Promise<TransactionStatus> {
  const sent = await rpc.send(envelopeXdr)
  expect(sent).toMatchObject({ status: 'PENDING' })
  await localnet.closeLedger()
  return rpc.transaction(sent.hash)
}

async function usdcOf(address: string): Promise<bigint> {
  const { entries } = await rpc.ledgerEntries([trustlineKey(address, 'USDC', ISSUER)])
  return readTrustlineBalance(entries[0]?.xdr ?? '') ?? 0n
}

async function signedPayment(nonce: bigint) {
  const args = [addressValue(payer.publicKey()), addressValue(seller), i128(100_000n)]
  const call = callOf({ args })
  const expirationLedger = (await rpc.latestLedger()).sequence + 10
  const unsigned = unsignedEntry({ address: payer.publicKey(), call, expirationLedger, nonce })
  const entry = await authorizeEntry(unsigned, payer, expirationLedger, passphrase)
  const verdict = checkPayment(
    await request({
      transaction: await transaction({ call, auth: [entry] }),
      terms: { payTo: seller },
    }),
    policy,
    'settle',
  )
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.payment
}

/** In order: channels are created, used, and merged. */
describe('on a network', () => {
  test('channels are created empty, their reserves sponsored', async () => {
    const built = await provisionEnvelope({
      network: 'stellar:testnet',
      sponsor,
      sequence: await nextSequence(sponsor.address),
      channels,
      inclusionFee,
      maxTime: await maxTime(),
    })
    expect(await land(built.envelopeXdr)).toMatchObject({ status: 'SUCCESS' })
    for (const { address } of channels) {
      expect(await stateOf(address)).toMatchObject({ balance: 0n, sponsored: 2 })
    }
    expect(await stateOf(sponsor.address)).toMatchObject({ sponsoring: 4 })
  })

  test('a settlement moves the amount, and the sponsor alone pays for it', async () => {
    const payment = await signedPayment(1n)
    expect(checkSignature(payment, passphrase)).toBeUndefined()
    const simulation = await rpc.simulate(simulationEnvelope(payment.invocation))
    const terms = { secondsPerLedger: 5, inclusionFee }
    const verdict = checkSimulation(payment, simulation, terms, policy)
    if (!verdict.ok) throw new Error(verdict.refusal.message)

    const [channel] = channels
    const before = {
      payer: await usdcOf(payer.publicKey()),
      seller: await usdcOf(seller),
      sponsor: (await stateOf(sponsor.address))?.balance ?? 0n,
    }
    const built = await buildSettlement({
      network: 'stellar:testnet',
      invocation: payment.invocation,
      channel: channel!,
      sponsor,
      sequence: await nextSequence(channel!.address),
      transactionData: verdict.quote.transactionData,
      inclusionFee,
      maxTime: await maxTime(),
      maxLedger: payment.authorization.expirationLedger + 1,
    })
    const landed = await land(built.envelopeXdr)
    if (landed.status !== 'SUCCESS') throw new Error(JSON.stringify(landed))
    expect(landed.feeCharged).toBeGreaterThan(0n)
    expect(landed.feeCharged).toBeLessThanOrEqual(built.totalFee)
    expect(await usdcOf(payer.publicKey())).toBe(before.payer - 100_000n)
    expect(await usdcOf(seller)).toBe(before.seller + 100_000n)
    expect((await stateOf(sponsor.address))?.balance).toBe(before.sponsor - landed.feeCharged)
    expect(await stateOf(channel!.address)).toMatchObject({ balance: 0n })
    expect((await rpc.transaction(built.innerHash)).status).toBe('SUCCESS')

    const again = await rpc.simulate(simulationEnvelope(payment.invocation))
    expect(checkSimulation(payment, again, terms, policy)).toMatchObject({
      ok: false,
      refusal: { code: 'invalid_exact_stellar_payload_nonce_already_used' },
    })
  })

  test('a wrong sequence number is reported as txBadSeq', async () => {
    const { invocation } = await signedPayment(2n)
    const built = await buildSettlement({
      network: 'stellar:testnet',
      invocation,
      channel: channels[1]!,
      sponsor,
      sequence: (await nextSequence(channels[1]!.address)) + 5n,
      transactionData: (await simulated(invocation)).transactionData,
      inclusionFee,
      maxTime: await maxTime(),
      maxLedger: 0,
    })
    expect(await rpc.send(built.envelopeXdr)).toMatchObject({
      status: 'ERROR',
      resultCode: 'txBadSeq',
    })
  })

  test('merging channels frees the sponsored reserves', async () => {
    const built = await retireEnvelope({
      network: 'stellar:testnet',
      sponsor,
      sequence: await nextSequence(sponsor.address),
      channels,
      inclusionFee,
      maxTime: await maxTime(),
    })
    expect(await land(built.envelopeXdr)).toMatchObject({ status: 'SUCCESS' })
    expect((await rpc.accounts(channels.map(({ address }) => address))).size).toBe(0)
    expect(await stateOf(sponsor.address)).toMatchObject({ sponsoring: 0 })
  })
})

async function simulated(invocation: Parameters<typeof simulationEnvelope>[0]) {
  const simulation = await rpc.simulate(simulationEnvelope(invocation))
  if (simulation.kind === 'ok') return simulation
  throw new Error(simulation.error)
}
