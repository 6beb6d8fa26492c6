/** The order in which a ledger's transactions are applied: nobody can choose it beforehand. */

import { sha256 } from '../ledger/header.ts'
import type { Envelope } from './envelope.ts'
import { type Phase, phaseOf } from './ledger-resources.ts'

interface TxSet {
  readonly hash: Uint8Array
  readonly envelopes: readonly Envelope[]
}

/**
 * As stellar-core does it: the set is hashed with its transactions sorted by their hashes, and they are
 * applied sorted by their hashes xor that of the set, classic ones before Soroban ones. What the
 * network itself gives comes after each kind, in the order of its sequence numbers.
 */
export function txSetInApplyOrder(previousHash: Uint8Array, envelopes: readonly Envelope[]): TxSet {
  const entries = envelopes
    .map((envelope) => ({ envelope, hash: sha256(envelope.envelopeXdr) }))
    .sort((a, b) => Buffer.compare(a.hash, b.hash))
  const hash = sha256(previousHash, ...entries.map(({ envelope }) => envelope.envelopeXdr))
  const shuffled = entries
    .map(({ envelope, hash: own }) => ({ envelope, place: xor(own, hash) }))
    .sort((a, b) => Buffer.compare(a.place, b.place))
    .map(({ envelope }) => envelope)
  const given = envelopes.filter(({ trusted }) => trusted)
  const inPhase = (phase: Phase): Envelope[] =>
    [...shuffled.filter(({ trusted }) => !trusted), ...given].filter(
      (envelope) => phaseOf(envelope) === phase,
    )
  return { hash, envelopes: [...inPhase('classic'), ...inPhase('soroban')] }
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array =>
  a.map((byte, index) => byte ^ (b[index] ?? 0))
