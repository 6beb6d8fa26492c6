/**
 * `make bench-engine`: the settlement engine under hundreds of settlements at once, on ledgers of
 * 5 s. Prints Markdown; docs/performance.md says how to read it.
 */
import { xdr } from '@stellar/stellar-sdk'
import { type Crowd, type CrowdResult, runCrowd, warmUp } from './engine/crowd.ts'
import {
  costTable,
  crowdTable,
  failureLines,
  fillTable,
  type NamedCrowd,
  overheadTable,
} from './engine/tables.ts'
import { type EngineWorld, openEngineWorld } from './engine/world.ts'
import { ledgerRoom } from './ledger-room.ts'

export interface EngineBench {
  /** Of either facilitator, and settlements of the largest load. */
  readonly channels: number
  readonly profileFolder: string | undefined
  readonly progress: (line: string) => void
  readonly print: (...lines: readonly string[]) => void
}

const WARM_UP = 50
const one: Crowd = { inFlight: 1, settlements: 6 }
const hundred: Crowd = { inFlight: 100, settlements: 200 }

export async function benchEngine(bench: EngineBench): Promise<void> {
  await withoutLimits(bench)
  await withTestnetLimits(bench)
}

/** Stock comes last: it goes on asking for what nobody waits for any more. */
async function withoutLimits(bench: EngineBench): Promise<void> {
  const { channels, profileFolder, progress, print } = bench
  progress(`A network without limits, twice ${channels} channels`)
  await using world = await openEngineWorld({ limits: 'none', channels, profileFolder })
  await using programs = new AsyncDisposableStack()
  const most: Crowd = { inFlight: channels, settlements: channels }
  const run = async (name: string, crowd: Crowd, contenders: Parameters<typeof runCrowd>[1]) => {
    progress(`${name}: ${crowd.settlements} settlements, ${crowd.inFlight} in flight`)
    return { name, result: await runCrowd(world, contenders, crowd) }
  }

  const first = await world.startReplica(1)
  programs.use(first.program)
  await warmUp(world, [first], WARM_UP)
  const alone = await run('ours', one, [first])
  const some = await run('ours', hundred, [first])
  const all = await run('ours', most, [first])

  const second = await world.startReplica(2)
  programs.use(second.program)
  await warmUp(world, [second], WARM_UP)
  const shared = await run('ours, two replicas', most, [first, second])

  const stock = await world.startStock()
  programs.use(stock.program)
  await warmUp(world, [stock], WARM_UP)
  const theirs = await run('stock', most, [stock])

  const crowds = [all, shared, theirs]
  print(`## ${channels} in flight`, '', setting(world, 'none'), '', crowdTable(crowds))
  const failures = failureLines(crowds)
  if (failures.length > 0) print(...failures.map((line) => `- ${line}`))
  const { closedAt } = world.metronome
  print(
    '## From the close of the ledger to the answer',
    '',
    overheadTable([some, ...crowds], closedAt),
  )
  print('## Requests for one settlement', '', costTable([alone, some, all, shared]))
}

async function withTestnetLimits(bench: EngineBench): Promise<void> {
  const { channels, profileFolder, progress, print } = bench
  progress(`A network with testnet's limits, twice ${channels} channels`)
  await using world = await openEngineWorld({ limits: 'testnet', channels, profileFolder })
  const ours = await world.startReplica(1)
  await using _ = ours.program
  await warmUp(world, [ours], WARM_UP)
  progress(`ours: ${channels} settlements, all in flight`)
  const crowd = { inFlight: channels, settlements: channels }
  const row: NamedCrowd = { name: 'ours', result: await runCrowd(world, [ours], crowd) }
  print(`## With testnet's limits`, '', setting(world, 'testnet'), '', crowdTable([row]))
  const failures = failureLines([row])
  if (failures.length > 0) print(...failures.map((line) => `- ${line}`))
  print(await fillOf(world, row.result))
}

const setting = ({ metronome }: EngineWorld, limits: string): string =>
  `Limits of a ledger: ${limits}. A ledger every ${metronome.everyMs / 1_000} s; each load begins right after one.`

async function fillOf({ rpc, ask }: EngineWorld, result: CrowdResult): Promise<string> {
  const [first] = result.transfers
  const landed = first && (await ask(first.hash))
  if (!landed) return 'nothing was settled'
  const envelope = xdr.TransactionEnvelope.fromXdr(landed.envelopeXdr, 'base64')
  return fillTable(result, await ledgerRoom(rpc, envelope))
}
