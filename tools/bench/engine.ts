/**
 * `make bench-engine`: hundreds of settlements at once, on ledgers of 5 s. Prints Markdown; docs/performance.md says how to read it.
 */
import { xdr } from '@stellar/stellar-sdk'
import { type Burst, type BurstResult, runBurst, warmUp } from './engine/burst.ts'
import {
  burstTable,
  costTable,
  failureLines,
  fillTable,
  type NamedBurst,
  overheadTable,
} from './engine/tables.ts'
import { type EngineWorld, openEngineWorld } from './engine/world.ts'
import { ledgerCapacity } from './ledger-capacity.ts'

export interface EngineBench {
  /** Channels of each facilitator; also the number of settlements of the largest load. */
  readonly channels: number
  readonly profileFolder: string | undefined
  readonly progress: (line: string) => void
  readonly print: (...lines: readonly string[]) => void
}

const WARM_UP = 50
const single: Burst = { inFlight: 1, settlements: 6 }
const hundred: Burst = { inFlight: 100, settlements: 200 }

export async function benchEngine(bench: EngineBench): Promise<void> {
  await withoutLimits(bench)
  await withTestnetLimits(bench)
}

/** Stock comes last: it keeps polling for settlements after their requests ended. */
async function withoutLimits(bench: EngineBench): Promise<void> {
  const { channels, profileFolder, progress, print } = bench
  progress(`A network without limits; ${channels} channels for each facilitator`)
  await using world = await openEngineWorld({ limits: 'none', channels, profileFolder })
  await using programs = new AsyncDisposableStack()
  const most: Burst = { inFlight: channels, settlements: channels }
  const run = async (name: string, burst: Burst, facilitators: Parameters<typeof runBurst>[1]) => {
    progress(`${name}: ${burst.settlements} settlements, ${burst.inFlight} in flight`)
    return { name, result: await runBurst(world, facilitators, burst) }
  }

  const first = await world.startReplica(1)
  programs.use(first.program)
  await warmUp(world, [first], WARM_UP)
  const alone = await run('ours', single, [first])
  const some = await run('ours', hundred, [first])
  const all = await run('ours', most, [first])

  const second = await world.startReplica(2)
  programs.use(second.program)
  await warmUp(world, [second], WARM_UP)
  const shared = await run('ours, two replicas', most, [first, second])

  const stock = await world.startStock()
  programs.use(stock.program)
  await warmUp(world, [stock], WARM_UP)
  const stockResult = await run('stock', most, [stock])

  const bursts = [all, shared, stockResult]
  print(`## ${channels} in flight`, '', setting(world, 'none'), '', burstTable(bursts))
  const failures = failureLines(bursts)
  if (failures.length > 0) print(...failures.map((line) => `- ${line}`))
  const { closedAt } = world.ledgerCloser
  print(
    '## From the close of the ledger to the answer',
    '',
    overheadTable([some, ...bursts], closedAt),
  )
  print('## Requests for one settlement', '', costTable([alone, some, all, shared]))
}

async function withTestnetLimits(bench: EngineBench): Promise<void> {
  const { channels, profileFolder, progress, print } = bench
  progress(`A network with testnet's limits; ${channels} channels for each facilitator`)
  await using world = await openEngineWorld({ limits: 'testnet', channels, profileFolder })
  const ours = await world.startReplica(1)
  await using _ = ours.program
  await warmUp(world, [ours], WARM_UP)
  progress(`ours: ${channels} settlements, all in flight`)
  const burst = { inFlight: channels, settlements: channels }
  const row: NamedBurst = { name: 'ours', result: await runBurst(world, [ours], burst) }
  print(`## With testnet's limits`, '', setting(world, 'testnet'), '', burstTable([row]))
  const failures = failureLines([row])
  if (failures.length > 0) print(...failures.map((line) => `- ${line}`))
  print(await ledgerUse(world, row.result))
}

const setting = ({ ledgerCloser }: EngineWorld, limits: string): string =>
  `Limits of a ledger: ${limits}. A ledger every ${ledgerCloser.everyMs / 1_000} s; each load starts right after one closed.`

async function ledgerUse(
  { rpc, findTransaction }: EngineWorld,
  result: BurstResult,
): Promise<string> {
  const [first] = result.transfers
  const confirmed = first && (await findTransaction(first.hash))
  if (!confirmed) return 'no settlement succeeded'
  const envelope = xdr.TransactionEnvelope.fromXdr(confirmed.envelopeXdr, 'base64')
  return fillTable(result, await ledgerCapacity(rpc, envelope))
}
