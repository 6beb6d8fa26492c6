/** The transaction set of a ledger: its XDR, and its order of application, which no sender can choose beforehand. */
import { sha256 } from '../../ledger/header.ts'
import type { Envelope } from '../envelope.ts'
import { phaseOf } from '../soroban/ledger-resources.ts'
import { xdrInt64, xdrList, xdrOption, xdrUint32 } from '../xdr-bytes.ts'
import type { BaseFees } from './surge-pricing.ts'

/** Stages run one after the other; the clusters of a stage run in parallel (CAP-63). */
export type TxCluster = readonly [stage: number, cluster: number]

export const FIRST_CLUSTER: TxCluster = [0, 0]
/** The faucet's Soroban transactions come after all others. */
const FAUCET_CLUSTER: TxCluster = [1, 0]

/** SHA-256 of a TransactionEnvelope XDR, signatures included. */
type EnvelopeHash = (envelopeXdr: Uint8Array) => Uint8Array

export interface TxSetContent {
  readonly previousHash: Uint8Array
  readonly baseFees: BaseFees
  /** TransactionEnvelope XDR each. */
  readonly classic: readonly Uint8Array[]
  readonly soroban: readonly { readonly envelopeXdr: Uint8Array; readonly cluster: TxCluster }[]
}

/**
 * GeneralizedTransactionSet XDR. Transactions are sorted by hash within their cluster, clusters and stages
 * by their first transaction; a phase without transactions has no base fee (stellar-core's
 * `parallelPhaseToXdr`).
 */
export function encodeTxSet(
  { previousHash, baseFees, classic, soroban }: TxSetContent,
  hashOf: EnvelopeHash = sha256,
): Uint8Array {
  const components = classic.length === 0 ? [] : [component(classic, baseFees.classic, hashOf)]
  const classicPhase = Buffer.concat([xdrUint32(0), xdrList(components)])
  const baseFee = soroban.length === 0 ? undefined : xdrInt64(baseFees.soroban)
  const sorobanPhase = [xdrUint32(1), xdrOption(baseFee), xdrList(stages(soroban, hashOf))]
  return Buffer.concat([
    xdrUint32(1),
    previousHash,
    xdrList([classicPhase, Buffer.concat(sorobanPhase)]),
  ])
}

/** TXSET_COMP_TXS_MAYBE_DISCOUNTED_FEE. */
const component = (
  envelopes: readonly Uint8Array[],
  baseFee: bigint,
  hashOf: EnvelopeHash,
): Uint8Array =>
  Buffer.concat([xdrUint32(0), xdrOption(xdrInt64(baseFee)), xdrList(sortedBy(envelopes, hashOf))])

/** ParallelTxExecutionStage XDR each. */
function stages(transactions: TxSetContent['soroban'], hashOf: EnvelopeHash): Uint8Array[] {
  const sorted = sortedBy(transactions, ({ envelopeXdr }) => hashOf(envelopeXdr))
  const inStages = Map.groupBy(sorted, ({ cluster: [stage] }) => stage)
  return [...inStages.values()].map((stage) => {
    const clusters = Map.groupBy(stage, ({ cluster: [, cluster] }) => cluster)
    return xdrList(
      [...clusters.values()].map((it) => xdrList(it.map(({ envelopeXdr }) => envelopeXdr))),
    )
  })
}

const sortedBy = <T>(items: readonly T[], bytesOf: (item: T) => Uint8Array): T[] =>
  items
    .map((item) => ({ item, bytes: bytesOf(item) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ item }) => item)

interface TxSet {
  readonly hash: Uint8Array
  /** In the order of their application. */
  readonly transactions: readonly OrderedTransaction[]
}

export interface OrderedTransaction {
  readonly envelope: Envelope
  readonly cluster: TxCluster
}

interface TxSetInput {
  readonly previousHash: Uint8Array
  readonly baseFees: BaseFees
  readonly envelopes: readonly Envelope[]
  /** The cluster of a Soroban transaction within the first stage. */
  readonly clusterOf: (envelope: Envelope) => number
}

/**
 * Transactions are applied as in stellar-core: sorted by their hash xor the set's, classic ones before
 * Soroban ones, and Soroban ones cluster by cluster. The faucet's transactions come last in each phase, in the
 * order of their sequence numbers.
 */
export function txSetInApplyOrder(input: TxSetInput): TxSet {
  const { previousHash, baseFees, envelopes, clusterOf } = input
  const inPhase = (phase: 'classic' | 'soroban') =>
    envelopes.filter((envelope) => phaseOf(envelope) === phase)
  const classic = inPhase('classic')
  const soroban = inPhase('soroban').map((envelope) => ({
    envelope,
    envelopeXdr: envelope.envelopeXdr,
    cluster: envelope.trusted ? FAUCET_CLUSTER : firstStage(clusterOf(envelope)),
  }))
  const hashes = new Map(envelopes.map(({ envelopeXdr }) => [envelopeXdr, sha256(envelopeXdr)]))
  const hashOf: EnvelopeHash = (envelopeXdr) => hashes.get(envelopeXdr) ?? sha256(envelopeXdr)
  const content = {
    previousHash,
    baseFees,
    classic: classic.map(({ envelopeXdr }) => envelopeXdr),
    soroban,
  }
  const hash = sha256(encodeTxSet(content, hashOf))
  const order = ({ envelopeXdr }: Envelope) => xor(hashOf(envelopeXdr), hash)
  const clusters = Map.groupBy(
    shuffled(soroban, ({ envelope }) => envelope, order),
    ({ cluster }) => cluster.join(),
  )
  return {
    hash,
    transactions: [
      ...shuffled(classic, (envelope) => envelope, order).map((envelope) => ({
        envelope,
        cluster: FIRST_CLUSTER,
      })),
      ...[...clusters.values()].flat(),
    ],
  }
}

const firstStage = (cluster: number): TxCluster =>
  cluster === 0 ? FIRST_CLUSTER : [FIRST_CLUSTER[0], cluster]

/** Sorted by `order`; the faucet's last, as they are. */
function shuffled<T>(
  items: readonly T[],
  envelopeOf: (item: T) => Envelope,
  order: (envelope: Envelope) => Uint8Array,
): T[] {
  const others = items.filter((item) => !envelopeOf(item).trusted)
  const faucet = items.filter((item) => envelopeOf(item).trusted)
  return [...sortedBy(others, (item) => order(envelopeOf(item))), ...faucet]
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array =>
  a.map((byte, index) => byte ^ (b[index] ?? 0))
