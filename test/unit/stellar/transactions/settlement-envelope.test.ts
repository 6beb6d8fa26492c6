import {
  FeeBumpTransaction,
  Keypair,
  SorobanDataBuilder,
  TransactionBuilder,
} from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { readClientEnvelope } from '../../../../src/stellar/transactions/client-envelope.ts'
import {
  buildSettlement,
  maxLedgerOf,
  type SettlementTerms,
  simulationEnvelope,
} from '../../../../src/stellar/transactions/settlement-envelope.ts'
import { nullAccount, passphrase, transaction } from '../../payments/protocol/payment-builder.ts'

const sponsor = signerFromSeed(new Uint8Array(32).fill(3))
const channel = signerFromSeed(new Uint8Array(32).fill(4))

async function invocationOfClient() {
  const invocation = readClientEnvelope(await transaction()).operations[0]?.invocation
  if (!invocation) throw new Error('no invocation')
  return invocation
}

const terms = async (change: Partial<SettlementTerms> = {}): Promise<SettlementTerms> => ({
  network: 'stellar:testnet',
  invocation: await invocationOfClient(),
  channel,
  sponsor,
  sequence: 77n,
  transactionData: new SorobanDataBuilder().setResourceFee(40_000).build().toXdr('base64'),
  inclusionFee: asStroops(150n),
  maxTime: 1_800_000_000n,
  maxLedger: 4_321,
  ...change,
})

function parse(envelopeXdr: string): FeeBumpTransaction {
  const tx = TransactionBuilder.fromXdr(envelopeXdr, passphrase)
  if (tx instanceof FeeBumpTransaction) return tx
  throw new Error('not a fee bump')
}

const signatureVerifies = (address: string, hash: Uint8Array, signature: Uint8Array | undefined) =>
  signature !== undefined && Keypair.fromPublicKey(address).verify(hash, signature)

describe('buildSettlement', () => {
  it('bids for two operations and pays the resource fee once', async () => {
    const built = await buildSettlement(await terms())
    const bump = parse(built.envelopeXdr)
    expect(built.totalFee).toBe(40_300n)
    expect(bump.fee).toBe('40300')
    expect(bump.innerTransaction.fee).toBe('40150')
  })

  it('has the channel as source and the sponsor as payer, each signing their own part', async () => {
    const built = await buildSettlement(await terms())
    const bump = parse(built.envelopeXdr)
    const inner = bump.innerTransaction
    expect([bump.feeSource, inner.source]).toEqual([sponsor.address, channel.address])
    expect(inner.sequence).toBe('77')
    expect(inner.memo.type).toBe('none')
    expect(inner.timeBounds).toEqual({ minTime: '0', maxTime: '1800000000' })
    expect(inner.ledgerBounds).toEqual({ minLedger: 0, maxLedger: 4_321 })
    expect(maxLedgerOf(built.envelopeXdr)).toBe(4_321)
    expect([bump.signatures.length, inner.signatures.length]).toEqual([1, 1])
    const [outerSignature] = bump.signatures
    const [innerSignature] = inner.signatures
    expect(
      signatureVerifies(sponsor.address, bump.hash(), outerSignature?.signature.toBytes()),
    ).toBe(true)
    expect(
      signatureVerifies(channel.address, inner.hash(), innerSignature?.signature.toBytes()),
    ).toBe(true)
  })

  it('returns both hashes', async () => {
    const built = await buildSettlement(await terms())
    const bump = parse(built.envelopeXdr)
    expect(built.hash).toBe(Buffer.from(bump.hash()).toString('hex'))
    expect(built.innerHash).toBe(Buffer.from(bump.innerTransaction.hash()).toString('hex'))
  })

  it("sends the payer's call and authorization byte for byte", async () => {
    const invocation = await invocationOfClient()
    const { envelopeXdr } = await buildSettlement(await terms({ invocation }))
    const sent = readClientEnvelope(
      parse(envelopeXdr).innerTransaction.toEnvelope().toXdr('base64'),
    ).operations
    expect(sent).toEqual([{ type: 'invokeHostFunction', invocation }])
  })

  it('refuses a fee that does not fit 32 bits', async () => {
    const transactionData = new SorobanDataBuilder()
      .setResourceFee(2n ** 32n)
      .build()
      .toXdr('base64')
    const given = await terms({ transactionData })
    await expect(buildSettlement(given)).rejects.toThrow('fits no transaction')
  })
})

describe('simulationEnvelope', () => {
  it('has the same call from the all-zero account', async () => {
    const invocation = await invocationOfClient()
    const envelope = readClientEnvelope(simulationEnvelope(invocation))
    expect(envelope.source).toBe(nullAccount)
    expect(envelope.operations).toEqual([{ type: 'invokeHostFunction', invocation }])
  })
})
