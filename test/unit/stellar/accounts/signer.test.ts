import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { verifyBytes } from '../../../../src/stellar/accounts/ed25519.ts'
import {
  randomSigner,
  secretOfSeed,
  seedOfSecret,
  signerFromSecret,
  signerFromSeed,
} from '../../../../src/stellar/accounts/signer.ts'

const seed = new Uint8Array(32).fill(7)
const hash = new Uint8Array(32).fill(9)

describe('a signer', () => {
  it('signs as the reference library does', () => {
    const reference = Keypair.fromRawEd25519Seed(seed)
    for (const signer of [signerFromSeed(seed), signerFromSecret(reference.secret())]) {
      expect(signer.address).toBe(reference.publicKey())
      expect(Buffer.from(signer.publicKey)).toEqual(Buffer.from(reference.rawPublicKey()))
      expect(Buffer.from(signer.sign(hash))).toEqual(Buffer.from(reference.sign(hash)))
    }
  })

  it('gives its secret back by seed alone', () => {
    expect(seedOfSecret(secretOfSeed(seed))).toEqual(seed)
    expect(JSON.stringify(signerFromSeed(seed))).not.toContain(secretOfSeed(seed))
  })

  it('is random', () => {
    expect(randomSigner().address).not.toBe(randomSigner().address)
  })

  it('rejects a malformed secret without repeating it', () => {
    const wrong = 'SBXRTMPYDOYDVWVFN4JJ2MWQSKFCSGXSCVKS26LNEXMOXI2CH5NXBVNA'
    expect(() => signerFromSecret(wrong)).toThrow('expected S and 55 more')
    expect(() => signerFromSecret(wrong)).not.toThrow(wrong)
    expect(() => signerFromSeed(new Uint8Array(31))).toThrow('32 bytes')
  })
})

describe('verifyBytes', () => {
  const { publicKey, sign } = signerFromSeed(seed)

  test.each([
    ['a true signature', publicKey, sign(hash), true],
    ["another key's", signerFromSeed(hash).publicKey, sign(hash), false],
    ['one over other bytes', publicKey, sign(seed), false],
    ['one that is too short', publicKey, sign(hash).subarray(1), false],
    ['one by a key that is too short', publicKey.subarray(1), sign(hash), false],
    ['one by a key that is no point', new Uint8Array(32).fill(255), sign(hash), false],
  ])('of %s', (_, key, signature, answer) => {
    expect(verifyBytes(hash, key, signature)).toBe(answer)
  })
})
