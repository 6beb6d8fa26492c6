/**
 * Matches signatures to signers and sums the weights (stellar-core's SignatureChecker; CAP-21, CAP-40). The
 * kinds are checked in stellar-core's order, until the weight suffices.
 */
import { createHash } from 'node:crypto'
import type { xdr } from '@stellar/stellar-sdk'
import type { Account } from '../../ledger/account.ts'
import { type AccountId, rawKey } from '../../ledger/account-id.ts'
import { verifyEd25519 } from './ed25519.ts'

export interface WeightedSigner {
  readonly key: SignerIdentity
  readonly weight: number
}

type SignerIdentity =
  | { readonly kind: 'ed25519'; readonly key: Uint8Array }
  | { readonly kind: 'preAuth'; readonly hash: Uint8Array }
  | { readonly kind: 'hashX'; readonly hash: Uint8Array }
  | { readonly kind: 'signedPayload'; readonly key: Uint8Array; readonly payload: Uint8Array }

/** A signer counts for at most this weight (protocol 10). */
const MAX_WEIGHT = 255

export interface SignatureChecker {
  /** True when these signers signed with a weight of at least `needed`; at least one must have signed. */
  check(signers: readonly WeightedSigner[], needed: number): boolean
  /** False when a signature matched none of the checked signers (txBAD_AUTH_EXTRA). */
  allUsed(): boolean
}

/** For the faucet's transactions. */
export const alwaysValidSignatures: SignatureChecker = { check: () => true, allUsed: () => true }

export function signatureChecker(
  contentsHash: Uint8Array,
  signatures: readonly xdr.DecoratedSignature[],
): SignatureChecker {
  const used = new Set<number>()
  const kinds = ['hashX', 'ed25519', 'signedPayload'] as const

  function check(signers: readonly WeightedSigner[], needed: number): boolean {
    let weight = 0
    for (const { key, weight: own } of signers) {
      if (key.kind !== 'preAuth' || !sameBytes(key.hash, contentsHash)) continue
      weight += Math.min(own, MAX_WEIGHT)
      if (weight >= needed) return true
    }
    for (const kind of kinds) {
      const left = signers.filter(({ key }) => key.kind === kind)
      for (const [index, signature] of signatures.entries()) {
        const at = left.findIndex(({ key }) => matches(signature, key, contentsHash))
        const signer = left[at]
        if (!signer) continue
        used.add(index)
        weight += Math.min(signer.weight, MAX_WEIGHT)
        if (weight >= needed) return true
        left.splice(at, 1)
      }
    }
    return false
  }

  return { check, allUsed: () => used.size === signatures.length }
}

function matches(
  { hint, signature }: xdr.DecoratedSignature,
  signer: SignerIdentity,
  contentsHash: Uint8Array,
): boolean {
  switch (signer.kind) {
    case 'preAuth':
      return false
    case 'hashX':
      return (
        sameBytes(hint.value, signer.hash.subarray(-4)) &&
        sameBytes(createHash('sha256').update(signature.value).digest(), signer.hash)
      )
    case 'ed25519':
      return (
        sameBytes(hint.value, signer.key.subarray(-4)) &&
        verifyEd25519(signer.key, contentsHash, signature.value)
      )
    case 'signedPayload':
      return (
        sameBytes(hint.value, payloadHint(signer.key, signer.payload)) &&
        verifyEd25519(signer.key, signer.payload, signature.value)
      )
  }
}

/** CAP-40: the key's hint xor the payload's last four bytes, zero-filled at the end when shorter. */
function payloadHint(key: Uint8Array, payload: Uint8Array): Uint8Array {
  const tail = new Uint8Array(4)
  tail.set(payload.subarray(-4))
  return key.subarray(-4).map((byte, index) => byte ^ (tail[index] ?? 0))
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** The master key, unless its weight is 0, and the account's signers. */
export function signersOf(account: Account): WeightedSigner[] {
  const master = account.thresholds[0]
  const others = account.signers.map(({ key, weight }) => ({ key: identityOf(key), weight }))
  return master === 0 ? others : [masterKey(account.id, master), ...others]
}

export const masterKey = (id: AccountId, weight: number): WeightedSigner => ({
  key: { kind: 'ed25519', key: rawKey(id) },
  weight,
})

export function identityOf(key: xdr.SignerKey): SignerIdentity {
  switch (key.type) {
    case 'signerKeyTypeEd25519':
      return { kind: 'ed25519', key: key.ed25519.value }
    case 'signerKeyTypePreAuthTx':
      return { kind: 'preAuth', hash: key.preAuthTx.value }
    case 'signerKeyTypeHashX':
      return { kind: 'hashX', hash: key.hashX.value }
    case 'signerKeyTypeEd25519SignedPayload': {
      const { ed25519, payload } = key.ed25519SignedPayload
      return { kind: 'signedPayload', key: ed25519.value, payload }
    }
  }
}
