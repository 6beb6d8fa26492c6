/** Signatures against signers, weights and thresholds (CAP-21, CAP-40). */
import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import {
  identityOf,
  masterKey,
  signatureChecker,
  type WeightedSigner,
} from '../../../src/localnet/transactions/signature-checker.ts'
import { idOf, key } from './harness.ts'

const contents = createHash('sha256').update('a transaction').digest()
const [alice, bob] = [key(1), key(2)]
const preimage = Buffer.from('open sesame')
const hashX = createHash('sha256').update(preimage).digest()
const payload = Buffer.from('signed elsewhere')

const signer = (signerKey: xdr.SignerKey, weight = 1): WeightedSigner => ({
  key: identityOf(signerKey),
  weight,
})
const byHashX = signer(xdr.SignerKey.signerKeyTypeHashX(hashX))
const byPreAuth = signer(xdr.SignerKey.signerKeyTypePreAuthTx(contents))
const byPayload = signer(
  xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
    new xdr.SignerKeyEd25519SignedPayload({ ed25519: alice.rawPublicKey(), payload }),
  ),
)
const master = (who: typeof alice, weight = 1) => masterKey(idOf(who), weight)

const byAlice = alice.signDecorated(contents)
const byBob = bob.signDecorated(contents)
const revealed = new xdr.DecoratedSignature({ hint: hashX.subarray(-4), signature: preimage })
const ofPayload = alice.signPayloadDecorated(payload)
const misleading = new xdr.DecoratedSignature({ hint: byBob.hint, signature: byAlice.signature })

interface Row {
  readonly when: string
  readonly signatures: readonly xdr.DecoratedSignature[]
  readonly signers: readonly WeightedSigner[]
  readonly needed: number
  readonly enough: boolean
  readonly allUsed: boolean
}

describe('signatures', () => {
  it.each<Row>([
    {
      when: 'the master key signed',
      signatures: [byAlice],
      signers: [master(alice)],
      needed: 0,
      enough: true,
      allUsed: true,
    },
    {
      when: 'nobody signed, though nothing is needed',
      signatures: [],
      signers: [master(alice)],
      needed: 0,
      enough: false,
      allUsed: true,
    },
    {
      when: 'weights fall short',
      signatures: [byAlice],
      signers: [master(alice)],
      needed: 2,
      enough: false,
      allUsed: true,
    },
    {
      when: 'weights add up',
      signatures: [byAlice, byBob],
      signers: [master(alice), master(bob)],
      needed: 2,
      enough: true,
      allUsed: true,
    },
    {
      when: 'one would do, and the other stays unused',
      signatures: [byAlice, byBob],
      signers: [master(alice), master(bob)],
      needed: 1,
      enough: true,
      allUsed: false,
    },
    {
      when: 'one signs twice',
      signatures: [byAlice, byAlice],
      signers: [master(alice)],
      needed: 2,
      enough: false,
      allUsed: false,
    },
    {
      when: 'a stranger signs too',
      signatures: [byBob],
      signers: [master(alice)],
      needed: 1,
      enough: false,
      allUsed: false,
    },
    {
      when: 'the hint names somebody else',
      signatures: [misleading],
      signers: [master(alice)],
      needed: 1,
      enough: false,
      allUsed: false,
    },
    {
      when: 'a weight is beyond what counts',
      signatures: [byAlice],
      signers: [master(alice, 1_000)],
      needed: 256,
      enough: false,
      allUsed: true,
    },
    {
      when: 'it was authorized beforehand',
      signatures: [],
      signers: [byPreAuth],
      needed: 1,
      enough: true,
      allUsed: true,
    },
    {
      when: 'the secret behind a hash is told',
      signatures: [revealed],
      signers: [byHashX],
      needed: 1,
      enough: true,
      allUsed: true,
    },
    {
      when: 'a payload was signed',
      signatures: [ofPayload],
      signers: [byPayload],
      needed: 1,
      enough: true,
      allUsed: true,
    },
    {
      when: 'the payload was not signed',
      signatures: [byAlice],
      signers: [byPayload],
      needed: 1,
      enough: false,
      allUsed: false,
    },
  ])('when $when: $enough', ({ signatures, signers, needed, enough, allUsed }) => {
    const checker = signatureChecker(contents, signatures)
    expect(checker.check(signers, needed)).toBe(enough)
    expect(checker.allUsed()).toBe(allUsed)
  })

  it('each count for every question that is asked', () => {
    const checker = signatureChecker(contents, [byAlice, byBob])
    expect([checker.check([master(alice)], 1), checker.check([master(bob)], 1)]).toEqual([
      true,
      true,
    ])
    expect(checker.allUsed()).toBe(true)
  })
})
