/** The transaction set of a ledger in apply order, which no sender can choose beforehand. */
import { sha256 } from '../ledger/header.ts'
import type { Envelope } from './envelope.ts'
import { type Phase, phaseOf } from './ledger-resources.ts'

interface TxSet {
  readonly hash: Uint8Array
  readonly envelopes: readonly Envelope[]
}

/**
 * As in stellar-core: the set's hash covers the transactions sorted by hash; they are applied sorted by
 * their hash xor the set's, classic ones before Soroban ones. The faucet's transactions come last in
 * each phase, in the order of their sequence numbers.
 */
export function txSetInApplyOrder(previousHash: Uint8Array, envelopes: readonly Envelope[]): TxSet {
  const entries = envelopes
    .map((envelope) => ({ envelope, hash: sha256(envelope.envelopeXdr) }))
    .sort((a, b) => Buffer.compare(a.hash, b.hash))
  const hash = sha256(previousHash, ...entries.map(({ envelope }) => envelope.envelopeXdr))
  const shuffled = entries
    .map(({ envelope, hash: own }) => ({ envelope, order: xor(own, hash) }))
    .sort((a, b) => Buffer.compare(a.order, b.order))
    .map(({ envelope }) => envelope)
  const faucet = envelopes.filter(({ trusted }) => trusted)
  const inPhase = (phase: Phase): Envelope[] =>
    [...shuffled.filter(({ trusted }) => !trusted), ...faucet].filter(
      (envelope) => phaseOf(envelope) === phase,
    )
  return { hash, envelopes: [...inPhase('classic'), ...inPhase('soroban')] }
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array =>
  a.map((byte, index) => byte ^ (b[index] ?? 0))
