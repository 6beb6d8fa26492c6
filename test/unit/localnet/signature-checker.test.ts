/** Signatures against signers, weights and thresholds (CAP-21, CAP-40). */
import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import {
  identityOf,
  masterKey,
  signatureChecker,
  type WeightedSigner,
} from '../../../src/localnet/transactions/valid/signature-checker.ts'
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

type Case = [
  when: string,
  enough: boolean,
  allUsed: boolean,
  signatures: readonly xdr.DecoratedSignature[],
  signers: readonly WeightedSigner[],
  needed: number,
]

describe('signatures', () => {
  it.each<Case>([
    ['the master key signed', true, true, [byAlice], [master(alice)], 0],
    ['there is none, though the threshold is 0', false, true, [], [master(alice)], 0],
    ['the weights are too low', false, true, [byAlice], [master(alice)], 2],
    ['the weights add up', true, true, [byAlice, byBob], [master(alice), master(bob)], 2],
    ['one is enough', true, false, [byAlice, byBob], [master(alice), master(bob)], 1],
    ['one key signed twice', false, false, [byAlice, byAlice], [master(alice)], 2],
    ['another key signed', false, false, [byBob], [master(alice)], 1],
    ['the hint is of another key', false, false, [misleading], [master(alice)], 1],
    ['a weight is more than a byte', false, true, [byAlice], [master(alice, 1_000)], 256],
    ['the hash of the transaction is a signer', true, true, [], [byPreAuth], 1],
    ['the secret of a hash is revealed', true, true, [revealed], [byHashX], 1],
    ['the payload is signed', true, true, [ofPayload], [byPayload], 1],
    ['the payload is not signed', false, false, [byAlice], [byPayload], 1],
  ])('when %s: enough is %s, all used is %s', (_, enough, allUsed, signatures, signers, needed) => {
    const checker = signatureChecker(contents, signatures)
    expect(checker.check(signers, needed)).toBe(enough)
    expect(checker.allUsed()).toBe(allUsed)
  })

  it('are all used when several checks use one each', () => {
    const checker = signatureChecker(contents, [byAlice, byBob])
    expect(checker.check([master(alice)], 1)).toBe(true)
    expect(checker.check([master(bob)], 1)).toBe(true)
    expect(checker.allUsed()).toBe(true)
  })
})
