import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { DemoFailure } from '../demo-failure.ts'
import { type ClaimedPort, claimPort, type PortRefusal } from './claimed-port.ts'

/** A port that a part of the demo listens on. */
export interface WantedPort {
  /** 0: any free one. */
  readonly port: number
  /** The flag that a person chose the port with; undefined for the usual port, which another may replace. */
  readonly flag: string | undefined
}

/** The parts that listen, as messages name them. */
const parts = {
  api: 'paid API',
  facilitator: 'facilitator',
  explorer: 'explorer',
  network: 'Stellar RPC',
  networkTls: 'RPC over https',
} as const
type Part = keyof typeof parts
export type WantedPorts = Readonly<Record<Part, WantedPort>>

export interface ChosenPorts extends AsyncDisposable {
  /** Held until each part needs its own, so that no two parts and no other program get the same. */
  readonly claimed: Readonly<Record<Part, ClaimedPort>>
  /** A line for each usual port that another program has, and the port in its place. */
  readonly replaced: readonly string[]
}

/**
 * Claims the ports of all parts. In place of a usual port that is taken it claims a free one. Throws
 * DemoFailure with every port that was chosen by a flag and cannot be had.
 */
export async function choosePorts(wanted: WantedPorts): Promise<ChosenPorts> {
  await using held = new AsyncDisposableStack()
  const claimed: Partial<Record<Part, ClaimedPort>> = {}
  const replaced: string[] = []
  const refused: string[] = []
  // First those that were chosen: a usual port makes way for them.
  const all = Object.entries(wanted) as [Part, WantedPort][]
  for (const [part, { port, flag }] of all.toSorted(([, a], [, b]) => rank(a) - rank(b))) {
    const first = await claimPort(port)
    if (typeof first === 'string' && flag !== undefined) {
      refused.push(`port ${port} (${flag}) ${refusals[first]}, and the ${parts[part]} needs it`)
      continue
    }
    const claim = typeof first === 'string' ? await claimNear(port) : first
    claimed[part] = held.use(claim)
    if (first === claim) continue
    replaced.push(`${parts[part].padEnd(LABEL_WIDTH)}${claim.port}, as ${port} is taken`)
  }
  if (refused.length > 0) {
    throw new DemoFailure(
      refused.join('\n'),
      'Name other ports, or leave the flags out: then the demo takes free ones.',
    )
  }
  const holding = held.move()
  return {
    claimed: claimed as Record<Part, ClaimedPort>,
    replaced,
    [Symbol.asyncDispose]: () => holding.disposeAsync(),
  }
}

/** The width of the guide's labels. */
const LABEL_WIDTH = 18

const rank = ({ flag }: WantedPort): number => (flag === undefined ? 1 : 0)

const refusals: Readonly<Record<PortRefusal, string>> = {
  taken: 'is taken by another program',
  forbidden: 'may not be opened by this user',
}

/** Ten apart, so that the ports of the demo and those that docs/getting-started.md uses stay distinct. */
const STEP = 10
const TRIES = 10

/** A free port that resembles the usual one, 4031 for 4021; any free one where none of those is free. */
async function claimNear(usual: number): Promise<ClaimedPort> {
  for (let port = usual + STEP; port <= usual + STEP * TRIES; port += STEP) {
    const claim = await claimPort(port)
    if (typeof claim !== 'string') return claim
  }
  const claim = await claimPort(0)
  if (typeof claim === 'string') throw new DemoFailure(`no port is free on this machine (${claim})`)
  return claim
}
