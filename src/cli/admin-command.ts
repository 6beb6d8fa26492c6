import { parseArgs } from 'node:util'
import { ProvisionFailure } from '../channels/create-channels.ts'
import { RetireFailure } from '../channels/merge-channels.ts'
import type { Progress } from '../channels/progress.ts'
import { RetireRefusal } from '../channels/retire.ts'
import { loadOperatorConfig, type OperatorConfig, type OperatorNetwork } from '../config/admin.ts'
import { type NetworkId, passphrases } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { RpcError, type StellarRpc } from '../stellar/rpc.ts'
import { rpcClients } from '../stellar/rpc-client.ts'
import { rpcPool } from '../stellar/rpc-pool.ts'
import { openStore, type Store } from '../store/open.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { createLogger } from '../telemetry/logger.ts'
import { withConfig } from './configured.ts'
import { networkOf, UsageError } from './flags.ts'
import { stopSignals } from './stop-signals.ts'

/** What a command is given to work on one network. */
export interface OperatorTask {
  readonly network: OperatorNetwork
  /** Channels 0 to count - 1 are meant. */
  readonly count: number
  readonly force: boolean
  readonly rpc: StellarRpc
  /** With its schema as it was found; absent with STORE=memory, which only the service itself has. */
  readonly store: Store | undefined
  readonly signal: AbortSignal
  readonly onProgress: Progress
}

/** What one network's line says, and in sentences what kept the command from doing or knowing all. */
export interface OperatorReport {
  readonly facts: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
  /** Worth an operator's thought. */
  readonly hint?: string | undefined
}

export interface OperatorCommand {
  readonly name: string
  readonly help: string
  /** What is done, in the progress: `19 of 41 channels` ... */
  readonly progress: string
  readonly run: (task: OperatorTask) => Promise<OperatorReport>
}

interface Request {
  readonly network: NetworkId | undefined
  readonly count: number | undefined
  readonly force: boolean
}

/** As many as `CHANNEL_COUNT` may say. */
const MAX_COUNT = 1_000

/**
 * Runs a command on every configured network, or the one asked for, one after the other, and prints
 * a line of JSON for each.
 *
 * @returns the exit code: 0 all done, 1 something was not, 78 bad configuration
 */
export async function runOperatorCommand(
  command: OperatorCommand,
  args: readonly string[],
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      network: { type: 'string' },
      count: { type: 'string' },
      force: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(command.help)
    return 0
  }
  const request = {
    network: networkOf(values.network),
    count: countOf(values.count),
    force: values.force,
  }
  return withConfig(
    (variables) => loadOperatorConfig(variables, request.network),
    (config) => onEveryNetwork(command, config, request),
  )
}

function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= MAX_COUNT) return count
  throw new UsageError(`--count is a number of channels from 1 to ${MAX_COUNT}, not ${text}`)
}

async function onEveryNetwork(
  command: OperatorCommand,
  config: OperatorConfig,
  request: Request,
): Promise<number> {
  if (config.networks.length === 0) {
    throw new UsageError(`${request.network} is not among the configured NETWORKS`)
  }
  using stop = stopSignals()
  const stopped = new AbortController()
  void stop.received.then((name) => stopped.abort(new Stopped(name)))
  await using store = config.store.kind === 'memory' ? undefined : await openStore(config.store)
  let isAllDone = true
  for (const network of config.networks) {
    const report = await reportOn(command, {
      network,
      count: request.count ?? network.channelCount,
      force: request.force,
      rpc: rpcOf(network),
      store,
      signal: stopped.signal,
      onProgress: ({ done, of }) =>
        say(command, network, `${done} of ${of} channels ${command.progress}`),
    })
    for (const sentence of [...report.problems, report.hint ?? []].flat()) {
      say(command, network, sentence)
    }
    const ok = report.problems.length === 0
    isAllDone &&= ok
    const line = { network: network.id, ok, ...report.facts, problems: report.problems }
    process.stdout.write(`${JSON.stringify(line)}\n`)
  }
  return isAllDone ? 0 : 1
}

const say = ({ name }: OperatorCommand, { id }: OperatorNetwork, sentence: string): void => {
  process.stderr.write(`svc ${name}: ${id}: ${sentence}\n`)
}

/** Plain http was judged with the configuration. The process ends before a quiet pool would matter. */
const rpcOf = ({ id, rpcUrls }: OperatorNetwork): StellarRpc =>
  rpcPool({
    endpoints: rpcClients(rpcUrls, { allowHttp: true }),
    passphrase: passphrases[id],
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
  })

class Stopped extends Error {
  constructor(signal: string) {
    super(`stopped by ${signal}; the same command again goes on where it was`)
  }
}

async function reportOn(command: OperatorCommand, task: OperatorTask): Promise<OperatorReport> {
  try {
    return await command.run(task)
  } catch (error) {
    return { facts: {}, problems: [sentenceOf(error)] }
  }
}

/** What an operator can mend, in a sentence. Throws anything else again: it deserves its stack. */
export function sentenceOf(error: unknown): string {
  const known = [
    StoreUnavailable,
    RpcError,
    ProvisionFailure,
    RetireFailure,
    RetireRefusal,
    Stopped,
  ]
  if (error instanceof Error && known.some((kind) => error instanceof kind)) return error.message
  throw error
}
