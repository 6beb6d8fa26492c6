/**
 * Decides whether Soroban transactions fit into a ledger together (CAP-63). Transactions that share
 * written entries form a cluster and run one after the other; clusters are packed into bins, and bins
 * run in parallel. One stage only: stellar-core also tries several, and takes the set with the most fees.
 */
import type { xdr } from '@stellar/stellar-sdk'
import type { Envelope } from '../envelope.ts'
import type { LedgerLimits } from '../soroban/ledger-resources.ts'

interface Cluster {
  readonly envelopes: readonly Envelope[]
  readonly instructions: number
  readonly reads: ReadonlySet<string>
  readonly writes: ReadonlySet<string>
}

type BinLimits = Pick<LedgerLimits, 'bins' | 'instructionsPerBin'>

export class ParallelTxSetBuilder {
  readonly #limits: BinLimits
  #accepted: Envelope[] = []
  /** Clusters of the accepted transactions; computed once their instructions no longer fit into one bin. */
  #clusters: readonly Cluster[] | undefined
  #instructions = 0

  constructor(limits: BinLimits) {
    this.#limits = limits
  }

  /** False when the transaction does not fit. */
  tryAdd(envelope: Envelope): boolean {
    const sum = this.#instructions + instructionsOf(envelope)
    if (this.#clusters || sum > this.#limits.instructionsPerBin) {
      this.#clusters ??= this.#accepted.map(clusterOf).reduce<readonly Cluster[]>(merged, [])
      const next = merged(this.#clusters, clusterOf(envelope))
      if (!packed(next, this.#limits)) return false
      this.#clusters = next
    }
    this.#accepted.push(envelope)
    this.#instructions = sum
    return true
  }

  /**
   * The bin of each accepted transaction, which the transaction set calls a cluster; empty when all of
   * them fit into the first.
   */
  clusters(): ReadonlyMap<Envelope, number> {
    const bins = this.#clusters && packed(this.#clusters, this.#limits)
    return new Map(
      bins?.flatMap((bin, index) => bin.map((envelope): [Envelope, number] => [envelope, index])),
    )
  }
}

const instructionsOf = ({ transaction }: Envelope): number =>
  transaction.soroban?.resources.instructions ?? 0

function clusterOf(envelope: Envelope): Cluster {
  const footprint = envelope.transaction.soroban?.resources.footprint
  return {
    envelopes: [envelope],
    instructions: instructionsOf(envelope),
    reads: encodedKeys(footprint?.readOnly ?? []),
    writes: encodedKeys(footprint?.readWrite ?? []),
  }
}

const encodedKeys = (keys: readonly xdr.LedgerKey[]): Set<string> =>
  new Set(keys.map((key) => key.toXdr('base64')))

/** Adds a cluster, and merges with it all clusters that it conflicts with. */
function merged(clusters: readonly Cluster[], added: Cluster): readonly Cluster[] {
  const { apart = [], joined = [] } = Object.groupBy(clusters, (cluster) =>
    conflict(cluster, added) ? 'joined' : 'apart',
  )
  return [...apart, joined.reduce(union, added)]
}

const union = (a: Cluster, b: Cluster): Cluster => ({
  envelopes: [...a.envelopes, ...b.envelopes],
  instructions: a.instructions + b.instructions,
  reads: new Set([...a.reads, ...b.reads]),
  writes: new Set([...a.writes, ...b.writes]),
})

const conflict = (a: Cluster, b: Cluster): boolean =>
  haveCommon(a.writes, b.writes) || haveCommon(a.writes, b.reads) || haveCommon(a.reads, b.writes)

function haveCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a]
  for (const name of fewer) if (more.has(name)) return true
  return false
}

/** First-fit bin packing, the largest clusters first; undefined when they do not fit. */
function packed(
  clusters: readonly Cluster[],
  { bins, instructionsPerBin }: BinLimits,
): readonly (readonly Envelope[])[] | undefined {
  const filled = Array.from({ length: bins }, () => ({
    instructions: 0,
    envelopes: [] as Envelope[],
  }))
  for (const cluster of clusters.toSorted((a, b) => b.instructions - a.instructions)) {
    const bin = filled.find((it) => it.instructions + cluster.instructions <= instructionsPerBin)
    if (!bin) return undefined
    bin.instructions += cluster.instructions
    bin.envelopes.push(...cluster.envelopes)
  }
  return filled.map(({ envelopes }) => envelopes)
}
