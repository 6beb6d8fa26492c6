import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import {
  hasSignedMessage,
  signAnnouncement,
} from '../../../../src/stellar/accounts/signed-message.ts'
import { randomSigner, signerFromSecret } from '../../../../src/stellar/accounts/signer.ts'
import { isProven, proveSigner } from '../../../../src/stellar/accounts/signer-proof.ts'

describe('a signed message', () => {
  test('is that of the example of SEP-53', async () => {
    const signer = signerFromSecret('SAKICEVQLYWGSOJS4WW7HZJWAHZVEEBS527LHK5V4MLJALYKICQCJXMW')
    const signature = await signAnnouncement(signer, 'stellar:testnet', 'Hello, World!')
    expect(signature).toBe(
      'fO5dbYhXUhBMhe6kId/cuVq/AfEnHRHEvsP8vXh03M1uLpi5e46yO2Q8rEBzu3feXQewcQE5GArp88u6ePK6BA==',
    )
    expect(hasSignedMessage(signer.address, 'Hello, World!', signature)).toBe(true)
  })

  test('is read as the SDK writes it', () => {
    const key = Keypair.random()
    const signature = Buffer.from(key.signMessage('こんにちは')).toString('base64')
    expect(hasSignedMessage(key.publicKey(), 'こんにちは', signature)).toBe(true)
    expect(hasSignedMessage(key.publicKey(), 'こんにちわ', signature)).toBe(false)
  })
})

describe('the proof of a signer', async () => {
  const now = Date.parse('2026-09-17T12:00:00.000Z')
  const baseUrl = 'https://payer.example/x402'
  const [signer, other] = [randomSigner(), randomSigner()]
  const expiresAt = '2026-09-18T12:00:00.000Z'
  const proof = await proveSigner(signer, { baseUrl, network: 'stellar:testnet', expiresAt })

  test('holds for its facilitator until it expires', () => {
    expect(isProven(proof, baseUrl, now)).toBe(true)
    expect(isProven(proof, baseUrl, Date.parse(proof.expiresAt) - 1)).toBe(true)
    expect(isProven(proof, baseUrl, Date.parse(proof.expiresAt))).toBe(false)
  })

  test.each([
    { what: 'another facilitator', given: proof, at: 'https://thief.example/x402' },
    { what: 'another path', given: proof, at: 'https://payer.example' },
    { what: 'another network', given: { ...proof, network: 'stellar:pubnet' as const } },
    { what: 'another signer', given: { ...proof, signer: other.address } },
    { what: 'a later end', given: { ...proof, expiresAt: '2026-09-19T12:00:00.000Z' } },
    {
      what: 'the signature of another key',
      given: { ...proof, signature: await signAnnouncement(other, 'stellar:testnet', '') },
    },
    { what: 'no signature', given: { ...proof, signature: '' } },
  ])('proves nothing for $what', ({ given, at = baseUrl }) => {
    expect(isProven(given, at, now)).toBe(false)
  })

  test('is none when it lasts longer than a week', async () => {
    const expiresAt = '2026-09-24T12:00:00.001Z'
    const long = await proveSigner(signer, { baseUrl, network: 'stellar:testnet', expiresAt })
    expect(isProven(long, baseUrl, now)).toBe(false)
    expect(isProven(long, baseUrl, now + 1)).toBe(true)
  })
})
