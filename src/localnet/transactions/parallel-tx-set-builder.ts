/**
 * Soroban transactions that touch the same entries depend on each other and run one after the other;
 * independent ones run side by side, in as many rows as the network has (CAP-63). One stage only:
 * stellar-core also tries several, and picks the set that pays most.
 */
import type { xdr } from '@stellar/stellar-sdk'
import type { Envelope } from './envelope.ts'

interface Cluster {
  readonly instructions: number
  readonly reads: ReadonlySet<string>
  readonly writes: ReadonlySet<string>
}

interface Rows {
  readonly rows: number
  readonly instructionsInRow: number
}

export class ParallelTxSetBuilder {
  readonly #limits: Rows
  #accepted: Envelope[] = []
  /** Of those accepted; made only once their instructions no longer fit into one row. */
  #merged: readonly Cluster[] | undefined
  #instructions = 0

  constructor(limits: Rows) {
    this.#limits = limits
  }

  /** Takes the transaction in, or says that it does not fit. */
  add(envelope: Envelope): boolean {
    const sum = this.#instructions + instructionsOf(envelope)
    if (this.#merged || sum > this.#limits.instructionsInRow) {
      this.#merged ??= this.#accepted.map(clusterOf).reduce<readonly Cluster[]>(merged, [])
      const next = merged(this.#merged, clusterOf(envelope))
      if (!fits(next, this.#limits)) return false
      this.#merged = next
    }
    this.#accepted.push(envelope)
    this.#instructions = sum
    return true
  }
}

const instructionsOf = ({ transaction }: Envelope): number =>
  transaction.soroban?.resources.instructions ?? 0

function clusterOf(envelope: Envelope): Cluster {
  const footprint = envelope.transaction.soroban?.resources.footprint
  return {
    instructions: instructionsOf(envelope),
    reads: names(footprint?.readOnly ?? []),
    writes: names(footprint?.readWrite ?? []),
  }
}

const names = (keys: readonly xdr.LedgerKey[]): Set<string> =>
  new Set(keys.map((key) => key.toXdr('base64')))

/** The clusters with one more, which joins all that it conflicts with into one. */
function merged(clusters: readonly Cluster[], one: Cluster): readonly Cluster[] {
  const { apart = [], joined = [] } = Object.groupBy(clusters, (cluster) =>
    conflict(cluster, one) ? 'joined' : 'apart',
  )
  return [...apart, joined.reduce(union, one)]
}

const union = (a: Cluster, b: Cluster): Cluster => ({
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

/** Whether they go into the rows, the longest first, each where it fits. */
function fits(clusters: readonly Cluster[], { rows, instructionsInRow }: Rows): boolean {
  const filled = new Array<number>(rows).fill(0)
  const longestFirst = clusters.map((it) => it.instructions).sort((a, b) => b - a)
  return longestFirst.every((instructions) => {
    const row = filled.findIndex((used) => used + instructions <= instructionsInRow)
    if (row < 0) return false
    filled[row] = (filled[row] ?? 0) + instructions
    return true
  })
}
