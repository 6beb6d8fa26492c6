/** svc status, provision and retire share this: they do their work on one network after the other. */
import { ProvisionFailure } from '../../payments/channels/create/create-channels.ts'
import type { Progress } from '../../payments/channels/progress.ts'
import { RetireFailure } from '../../payments/channels/retire/merge-channels.ts'
import { RetireRefusal } from '../../payments/channels/retire/retire-refusal.ts'
import { RotationRefusal } from '../../payments/channels/rotation/refusals.ts'
import { SweepFailure } from '../../payments/channels/rotation/sweep-failure.ts'
import { KeeperLeaseLost } from '../../payments/store/upto/keeper-lease.ts'
import { KeeperFailure } from '../../payments/upto-keeper/keeper-failure.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { openStore, type Store } from '../../platform/database/open.ts'
import { RoutesDiffer } from '../../platform/database/postgres/route.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../platform/database/schema-newer.ts'
import { createLogger } from '../../platform/telemetry/logs/logger.ts'
import { type OpenSponsors, openSponsors } from '../../service/networks/open-sponsor.ts'
import { rpcSentence } from '../../service/networks/rpc-reason.ts'
import { messageOf } from '../../service/process/message-of.ts'
import { Stopped } from '../../service/process/stop-signals.ts'
import { type AdminConfig, type AdminNetwork, loadAdminConfig } from '../../settings/admin.ts'
import type { Variables } from '../../settings/parser/environment.ts'
import type { StoreConfig } from '../../settings/sections/store-settings.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import { rpcPool } from '../../stellar/rpc/pool/rpc-pool.ts'
import { RpcError, type StellarRpc } from '../../stellar/rpc/rpc.ts'
import { rpcClients } from '../../stellar/rpc/rpc-client.ts'
import {
  asksAtTerminal,
  EX_NOT_CONFIRMED,
  isConfirmed,
  type Plan,
  showPlan,
} from '../command-line/confirm.ts'
import { type FlagValues, networkId, number } from '../command-line/flags.ts'
import type { Explained } from '../command-line/help-page.ts'
import { personTable, type Row } from '../command-line/person-table.ts'
import { UsageError } from '../command-line/usage-error.ts'

/** The input of a command for its work on one network. */
export interface AdminTask {
  readonly network: AdminNetwork
  readonly sponsors: OpenSponsors
  /** The work is on channels 0 to count - 1. */
  readonly count: number
  readonly rpc: StellarRpc
  /** Opened without changing its schema; undefined with STORE=memory, which only the service has. */
  readonly store: Store | undefined
  readonly signal: AbortSignal
  readonly onProgress: Progress
}

/** The result of a command on one network. */
export interface AdminReport {
  /** Members of the line of JSON. */
  readonly facts: Readonly<Record<string, unknown>>
  /** Sentences that say why the command could not do or read everything. */
  readonly problems: readonly string[]
  /** Advice in a sentence; no problem. */
  readonly hint?: string | undefined
  /** The facts for a person. */
  readonly rows?: readonly Row[]
}

interface AdminCommand {
  /** Begins each line on standard error: `svc <name>: `. */
  readonly name: string
  /** The state of a channel when the command is done with it: `18 of 41 channels <progress>`. */
  readonly progress?: string
  /** Whether it may work on all networks at once. @default one after the other */
  readonly inParallel?: boolean
  /** Time limit of a connection and of a statement. @default those of the configuration */
  readonly timeoutMs?: number
  /** Whether it goes on from where it was interrupted: after an outage it says so. */
  readonly goesOn?: boolean
  /** Whether to print for a person. @default a line of JSON for each network */
  readonly forPerson?: boolean
  /**
   * The plan of a command that moves or locks XLM. It shows this at a terminal before it asks. Undefined when it would move and lock
   * none: then it does not ask.
   */
  readonly plan?: (task: AdminTask) => Promise<Plan | undefined>
  readonly run: (task: AdminTask) => Promise<AdminReport>
}

/** The largest `CHANNEL_COUNT`. */
const MAX_COUNT = 1_000

export const adminFlags = ({ count }: { readonly count: string }) => ({
  network: networkId('of the configured NETWORKS, this one only'),
  count: number('N', count, { min: 1, max: MAX_COUNT }),
})
type AdminFlags = FlagValues<ReturnType<typeof adminFlags>>

/** The variables on the help page of each of these commands. */
export const adminEnv: readonly Explained[] = [
  ['NETWORKS', 'stellar:testnet'],
  ['..._RPC_URL', 'Stellar RPC endpoints, with TESTNET_ or PUBNET_ before it'],
  ['..._SPONSOR_SECRET', 'seed of the sponsor, or ..._SPONSOR_SECRET_FILE'],
  ['CHANNEL_COUNT', 'number of channels'],
  ['DATABASE_URL', 'or DATABASE_URL_FILE; STORE=memory needs none'],
  ['DATABASE_DIRECT_URL', 'without the connection pooler, if DATABASE_URL has one'],
]

/** Reads the configuration, of one network only when `--network` names it. */
export const adminConfig = (variables: Variables, { network }: AdminFlags): AdminConfig =>
  loadAdminConfig(variables, network)

interface AdminInput {
  readonly flags: AdminFlags & { readonly yes?: boolean }
  readonly config: AdminConfig
  readonly stop: AbortSignal
}

/**
 * Runs a command on every configured network and prints a line of JSON for each, in their order. At a terminal a
 * command with a plan first asks once, about all networks together: a person who says no has changed nothing.
 *
 * @returns the exit code: 0 everything done, 1 not everything, 3 not confirmed
 */
export async function onEveryNetwork(
  command: AdminCommand,
  { flags, config, stop }: AdminInput,
): Promise<number> {
  if (config.networks.length === 0) {
    throw new UsageError(`${flags.network} is not among the configured NETWORKS`)
  }
  await using store = await openAdminStore(config.store, command.timeoutMs)
  await using opened = new AsyncDisposableStack()
  const tasks = config.networks.map((network) => ({
    network,
    sponsors: opened.use(openSponsors(network, { clock: systemClock })),
    count: flags.count ?? network.channelCount,
    rpc: rpcOf(network),
    store,
    signal: stop,
    onProgress: ({ done, of }: Parameters<Progress>[0]) =>
      say(command, network, `${done} of ${of} accounts ${command.progress}`),
  }))
  const refused = await planAndAsk(command, tasks, { isConfirmed: flags.yes === true, stop })
  if (refused === 'not confirmed') return EX_NOT_CONFIRMED
  const reportOf = async (task: AdminTask): Promise<AdminReport> =>
    refused.get(task.network.id) ?? reportOn(command, task, () => command.run(task))
  const early = command.inParallel ? await Promise.all(tasks.map(reportOf)) : []
  let isAllDone = true
  for (const [index, task] of tasks.entries()) {
    const report = early[index] ?? (await reportOf(task))
    print(command, task.network, report)
    isAllDone &&= report.problems.length === 0
  }
  return isAllDone ? 0 : 1
}

const openAdminStore = async (config: StoreConfig, timeoutMs: number | undefined) => {
  if (config.kind === 'memory') return undefined
  const limits = timeoutMs && { connectTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs }
  return openStore({ ...config, ...limits })
}

const say = (command: AdminCommand, { id }: AdminNetwork, sentence: string) =>
  process.stderr.write(`svc ${command.name}: ${id}: ${sentence}\n`)

function print(command: AdminCommand, network: AdminNetwork, report: AdminReport): void {
  const { facts, problems, hint, rows = [] } = report
  const hints = hint === undefined ? [] : [hint]
  if (command.forPerson) {
    const problemRows = problems.map((problem): Row => ['problem', problem])
    const hintRows = hints.map((sentence): Row => ['note', sentence])
    process.stdout.write(personTable(network.id, [...rows, ...problemRows, ...hintRows]))
    return
  }
  for (const sentence of [...problems, ...hints]) say(command, network, sentence)
  const ok = problems.length === 0
  process.stdout.write(`${JSON.stringify({ network: network.id, ok, ...facts, problems })}\n`)
}

/**
 * Shows at a terminal what the command will do on each network, and asks. Returns the reports of networks on which it
 * can do nothing, and must not try: their plans were not shown.
 */
async function planAndAsk(
  command: AdminCommand,
  tasks: readonly AdminTask[],
  { isConfirmed: isAsked, stop }: { readonly isConfirmed: boolean; readonly stop: AbortSignal },
): Promise<ReadonlyMap<string, AdminReport> | 'not confirmed'> {
  const { name, plan } = command
  const refused = new Map<string, AdminReport>()
  if (!plan || !asksAtTerminal(isAsked)) return refused
  let isAnyShown = false
  for (const task of tasks) {
    const { id } = task.network
    const report = await reportOn(command, task, async () => {
      const planned = await plan(task)
      if (planned) showPlan(`svc ${name}: ${id}`, planned)
      isAnyShown ||= planned !== undefined
      return { facts: {}, problems: [] }
    })
    if (report.problems.length > 0) refused.set(id, report)
  }
  if (!isAnyShown || (await isConfirmed(name, stop))) return refused
  return 'not confirmed'
}

/** The configuration has refused plain http where it may not be. Nothing logs: the command says it. */
const rpcOf = ({ id, rpcUrls, rpcHeaders: headers }: AdminNetwork): StellarRpc =>
  rpcPool({
    endpoints: rpcClients(rpcUrls, { headers, allowHttp: true }),
    passphrase: passphrases[id],
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
  })

async function reportOn(
  { goesOn }: AdminCommand,
  task: AdminTask,
  work: () => Promise<AdminReport>,
): Promise<AdminReport> {
  try {
    return await work()
  } catch (error) {
    const { id } = task.network
    const isRpc = error instanceof RpcError
    const sentence = isRpc ? rpcSentence(error, id) : sentenceOf(error)
    const isOutage = isRpc || error instanceof StoreUnavailable
    return { facts: {}, problems: [goesOn && isOutage ? withRunAgain(sentence) : sentence] }
  }
}

const runAgain = 'run the same command again: it continues from there'

/** Some problems are several sentences. */
const withRunAgain = (problem: string): string =>
  problem.endsWith('.') ? `${problem} Then ${runAgain}.` : `${problem}; ${runAgain}`

const explain = messageOf(
  SignerError,
  StoreUnavailable,
  RoutesDiffer,
  SchemaNewer,
  ProvisionFailure,
  RetireFailure,
  RetireRefusal,
  RotationRefusal,
  SweepFailure,
  KeeperFailure,
  KeeperLeaseLost,
)

/** The sentence for an error that an administrator can fix. Throws any other error again. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Stopped) {
    return `${error.message}; ${runAgain}`
  }
  const sentence = explain(error)
  if (sentence === undefined) throw error
  return sentence
}
