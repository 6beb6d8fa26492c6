import { Keypair, Transaction, TransactionBuilder } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import {
  CHANNELS_PER_ENVELOPE,
  type ChannelTerms,
  provisionEnvelope,
  retireEnvelope,
} from '../../../../src/stellar/transactions/channel-envelopes.ts'
import { passphrase } from '../../payments/protocol/payment-builder.ts'

const sponsor = signerFromSeed(new Uint8Array(32).fill(3))
const channels = Array.from({ length: 20 }, (_, i) =>
  signerFromSeed(new Uint8Array(32).fill(100 + i)),
)

const terms = (count: number): ChannelTerms => ({
  network: 'stellar:testnet',
  sponsor,
  sequence: 5n,
  channels: channels.slice(0, count),
  inclusionFee: asStroops(100n),
  maxTime: 1_800_000_000n,
})

const source = signerFromSeed(new Uint8Array(32).fill(4))

function parse(envelopeXdr: string): Transaction {
  const tx = TransactionBuilder.fromXdr(envelopeXdr, passphrase)
  if (tx instanceof Transaction) return tx
  throw new Error('a fee bump')
}

describe('provisionEnvelope', () => {
  it('creates each channel empty, between the begin and the end of its sponsorship', async () => {
    const tx = parse((await provisionEnvelope(terms(2))).envelopeXdr)
    const [a, b] = channels
    expect(tx.source).toBe(sponsor.address)
    expect(tx.operations).toMatchObject(
      [a!, b!].flatMap(({ address }) => [
        { type: 'beginSponsoringFutureReserves', sponsoredId: address },
        { type: 'createAccount', destination: address, startingBalance: '0.0000000' },
        { type: 'endSponsoringFutureReserves', source: address },
      ]),
    )
  })

  it('bids for each operation', async () => {
    const { totalFee, envelopeXdr } = await provisionEnvelope(terms(2))
    expect([totalFee, parse(envelopeXdr).fee]).toEqual([600n, '600'])
  })
})

describe('retireEnvelope', () => {
  it('merges each channel into the sponsor', async () => {
    const tx = parse((await retireEnvelope(terms(1))).envelopeXdr)
    expect(tx.operations).toMatchObject([
      { type: 'accountMerge', source: channels[0]!.address, destination: sponsor.address },
    ])
  })
})

function expectSigners(
  tx: Pick<Transaction, 'hash' | 'signatures'>,
  signers: readonly { readonly address: string }[],
) {
  expect(tx.signatures).toHaveLength(signers.length)
  signers.forEach(({ address }, i) => {
    const signature = tx.signatures[i]!.signature.toBytes()
    expect(Keypair.fromPublicKey(address).verify(tx.hash(), signature)).toBe(true)
  })
}

describe.each([
  ['provisionEnvelope', provisionEnvelope],
  ['retireEnvelope', retireEnvelope],
])('%s', (_, build) => {
  it('is signed by the sponsor and by every channel', async () => {
    const built = await build(terms(CHANNELS_PER_ENVELOPE))
    const tx = parse(built.envelopeXdr)
    expect(built.hash).toBe(Buffer.from(tx.hash()).toString('hex'))
    expect(tx.source).toBe(sponsor.address)
    expectSigners(tx, [sponsor, ...channels.slice(0, CHANNELS_PER_ENVELOPE)])
  })

  it('takes its sequence number from another source, and the fee from the sponsor', async () => {
    const built = await build({ ...terms(CHANNELS_PER_ENVELOPE), source })
    const bump = TransactionBuilder.fromXdr(built.envelopeXdr, passphrase)
    if (bump instanceof Transaction) throw new Error('no fee bump')
    const { innerTransaction: tx } = bump
    expect(built.hash).toBe(Buffer.from(bump.hash()).toString('hex'))
    expect([bump.feeSource, tx.source, tx.sequence]).toEqual([sponsor.address, source.address, '5'])
    expect(built.totalFee).toBe(BigInt(tx.fee) + 100n)
    expect(bump.fee).toBe(String(built.totalFee))
    expectSigners(bump, [sponsor])
    // The network refuses a transaction with a signature that no operation needs.
    const isCreating = tx.operations.some(({ type }) => type === 'createAccount')
    const inner = [source, ...(isCreating ? [sponsor] : []), ...channels.slice(0, 18)]
    expectSigners(tx, inner)
    expect(inner.length).toBeLessThanOrEqual(20)
  })

  test.each([0, 20])('refuses %i channels at once', async (count) => {
    await expect(build(terms(count))).rejects.toThrow(RangeError)
  })
})
