import { describe, expect, it } from 'vitest'
import { channelSeed, channelSigner } from '../../../../src/payments/channels/derive.ts'
import { type NetworkId, networkIds } from '../../../../src/platform/core/caip2.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'

const zeros = new Uint8Array(32)
const counted = Uint8Array.from({ length: 32 }, (_, i) => i)

/**
 * Made with another implementation of HKDF (RFC 5869), ed25519 (RFC 8032) and SEP-23 than ours. A
 * change here loses every channel that is in use: it needs another salt and a way to move.
 */
const vectors: readonly (readonly [
  secret: string,
  network: NetworkId,
  index: number,
  account: string,
])[] = [
  [
    'SAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSU2',
    'stellar:testnet',
    0,
    'GAGGGGJ2HNSYIHCJ426UQIZD64FYQKKQOJDBYQR7CYBC46IH6GPKS4BP',
  ],
  [
    'SAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSU2',
    'stellar:testnet',
    1,
    'GAVEFJQ6Q4Q7MOY6YVXHQCZLJFDRI63XHN6DH6UACGOQT3PJRERSQ6O4',
  ],
  [
    'SAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSU2',
    'stellar:pubnet',
    0,
    'GDTS2G75CLL3QVIUPTPC2JB64ZC6WKY7SDT6ATWXEDCVF4P2SHJYMBDU',
  ],
  [
    'SAAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6NKI',
    'stellar:testnet',
    0,
    'GC3VROCP4RPMSHPYMCCFEX4BCVPNVMABRTXZTBRPXITP73C7RB3AWQM3',
  ],
  [
    'SAAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6NKI',
    'stellar:pubnet',
    4095,
    'GAVAWBYME7UYFHGZSSTPG6UW6BN6QJQ4YE2XP4JEDYBH37U4F7KYAE7Q',
  ],
]

describe('channelSigner', () => {
  it.each(vectors)('derives from %s on %s, index %i, the account %s', (...vector) => {
    const [secret, network, index, account] = vector
    expect(channelSigner(secret, network, index).address).toBe(account)
  })
})

describe('channelSeed', () => {
  const hex = (sponsorSeed: Uint8Array, network: NetworkId, index: number) =>
    Buffer.from(channelSeed(sponsorSeed, network, index)).toString('hex')

  it('derives the bytes that HKDF-SHA256 says', () => {
    expect(hex(zeros, 'stellar:testnet', 0)).toBe(
      '7e6fb8dfbe71b1f2f328569b9f0b62d1b21b904ddf67f98fa5b55e820ed44120',
    )
    expect(hex(counted, 'stellar:pubnet', 4095)).toBe(
      'd6915e9251864692ec62b86f46a8d4cc51f8e0f465b5e0347fbb347da66766ff',
    )
  })

  it('gives every sponsor, network and index a seed of its own, none of them the sponsor’s', () => {
    const seeds = [zeros, counted].flatMap((seed) =>
      networkIds.flatMap((network) =>
        Array.from({ length: 250 }, (_, index) => hex(seed, network, index)),
      ),
    )
    const sponsors = [zeros, counted].map((seed) => Buffer.from(seed).toString('hex'))
    expect(new Set([...seeds, ...sponsors]).size).toBe(2 * 2 * 250 + 2)
  })

  it('changes altogether when one bit of the sponsor’s seed does', () => {
    const flipped = Uint8Array.from(zeros, (byte, i) => (i === 31 ? 1 : byte))
    const a = channelSeed(zeros, 'stellar:testnet', 0)
    const b = channelSeed(flipped, 'stellar:testnet', 0)
    expect(a.filter((byte, i) => byte === b[i]).length).toBeLessThan(8)
  })

  it('leaves the sponsor’s seed as it was', () => {
    const seed = Uint8Array.from(counted)
    channelSeed(seed, 'stellar:testnet', 0)
    expect(seed).toEqual(counted)
  })

  it('is the same whether asked with the seed or with the secret that spells it', () => {
    const fromSeed = signerFromSeed(channelSeed(counted, 'stellar:testnet', 7))
    expect(channelSigner(secretOfSeed(counted), 'stellar:testnet', 7).address).toBe(
      fromSeed.address,
    )
  })

  it.each([0, 31, 33, 64])('refuses a sponsor seed of %i bytes', (length) => {
    expect(() => channelSeed(new Uint8Array(length), 'stellar:testnet', 0)).toThrow(
      new RangeError('a sponsor seed has 32 bytes'),
    )
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'refuses the index %d',
    (index) => {
      expect(() => channelSeed(zeros, 'stellar:testnet', index)).toThrow(RangeError)
    },
  )

  it('refuses a secret that is none without repeating it', () => {
    const secret = 'SAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSU3'
    const derive = () => channelSigner(secret, 'stellar:testnet', 0)
    expect(derive).toThrow(RangeError)
    expect(derive).not.toThrow(secret)
  })
})
