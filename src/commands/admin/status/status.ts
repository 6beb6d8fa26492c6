import { sentenceOf as sentenceOfFinding } from '../../../diagnosis/problems/problem.ts'
import { schemaProblem } from '../../../diagnosis/problems/store.ts'
import { findEndpoint, readAccounts } from '../../../diagnosis/read/status-ledger.ts'
import { listChannels } from '../../../payments/store/channels/channel.ts'
import { countChannels } from '../../../payments/store/channels/count.ts'
import { countUnfinished } from '../../../payments/store/settlements/count-unfinished.ts'
import { readKeeperState } from '../../../payments/store/upto/keeper-state.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import { command } from '../../command-line/command.ts'
import { duration } from '../../command-line/flags.ts'
import { isForPerson, outputFlags } from '../../command-line/for-person.ts'
import { variablesOrDemo } from '../../development/demo-variables.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
  sentenceOf,
} from '../admin-command.ts'
import { statusRows } from './rows.ts'

export const status = command({
  name: 'status',
  summary: 'shows the state of sponsor, channels and settlements; writes nothing',
  usage: ['svc status [--network ID] [--count N] [--timeout 5s] [--json | --human]'],
  flags: {
    ...adminFlags({
      count: 'an earlier CHANNEL_COUNT: how many channels to look for on the ledger',
    }),
    timeout: duration('5s', 'time limit of each request to the store and to an endpoint'),
    ...outputFlags,
  },
  notes: [
    'Prints a table on a terminal, else a line of JSON for each network: what could not be read is',
    'null, and problems says why. Without DATABASE_URL and STORE it looks at the running demo, if any.',
  ],
  env: adminEnv,
  exits: { 0: 'everything was read', 1: 'not everything, and why' },
  example: 'svc status --network stellar:testnet',
  config: async (variables, flags) =>
    adminConfig(await variablesOrDemo('status', variables), flags),
  handlesStop: true,
  run: (input) => {
    const { timeout: timeoutMs } = input.flags
    const run = (task: AdminTask) => statusOf(task, timeoutMs)
    const forPerson = isForPerson(input.flags)
    return onEveryNetwork({ name: 'status', inParallel: true, timeoutMs, forPerson, run }, input)
  },
})

async function statusOf(task: AdminTask, timeoutMs: number): Promise<AdminReport> {
  const { network, sponsors, count } = task
  const sponsor = sponsors.keys.address
  const [stored, found] = await Promise.all([
    readStore(task, sponsor, timeoutMs),
    findEndpoint(network, timeoutMs),
  ])
  const onLedger = await readAccounts(found, {
    network,
    sponsor,
    count: Math.max(count, (stored.facts?.highestIndex ?? -1) + 1),
    timeoutMs,
  })
  const { ledger = null, balanceXlm = null, movableXlm = null, upto = null } = onLedger.facts ?? {}
  const { settlements = null, channels = unknownChannels, keeper } = stored.facts ?? {}
  const facts = {
    sponsor,
    ledger,
    balanceXlm,
    movableXlm,
    channels: {
      configured: network.channelCount,
      onLedger: onLedger.facts?.channels ?? null,
      ...channels,
    },
    settlements,
    ...(network.upto && {
      upto: {
        contract: network.upto.contract,
        ledger: upto,
        keeper: {
          enabled: network.upto.keeper.enabled,
          checkedAt: keeper?.checkedAt?.toISOString() ?? null,
          lastAction: keeper?.lastAction ?? null,
          error: keeper?.error ?? null,
        },
      },
    }),
  }
  return {
    facts,
    rows: statusRows(facts, stored.schema),
    problems: [...stored.problems, ...onLedger.problems],
    hint: task.store ? onLedger.hint : [MEMORY_STORE, onLedger.hint].filter(Boolean).join('; '),
  }
}

const MEMORY_STORE = 'with STORE=memory only the service itself knows its channels and settlements'

const unknownChannels = {
  active: null,
  draining: null,
  retired: null,
  quarantined: null,
  sequenceUnknown: null,
  leased: null,
}

/** The value that was read, or the sentence that says why it could not be. */
interface StoreReport {
  readonly facts?: Awaited<ReturnType<typeof readTables>>
  /** The state of the schema, in a few words. */
  readonly schema: string
  readonly problems: readonly string[]
}

async function readStore(
  { store, network, signal }: AdminTask,
  sponsor: string,
  ms: number,
): Promise<StoreReport> {
  if (!store) return { schema: 'in memory', problems: [] }
  try {
    return await withTimeLimit({ clock: systemClock, ms, signal }, async () => {
      const { missing, newer } = await store.schemaState()
      const finding = schemaProblem({ missingMigrations: missing, newerSchema: newer })
      if (finding) {
        const schema = newer ? 'newer than this version' : 'not up to date'
        return { schema, problems: [sentenceOfFinding(finding)] }
      }
      return {
        facts: await readTables(store, network, sponsor),
        schema: 'up to date',
        problems: [],
      }
    })
  } catch (error) {
    const isLate = error instanceof TimeLimitExceeded
    const problem = isLate
      ? `the database gave ${error.message}: see svc doctor`
      : sentenceOf(error)
    return { schema: 'unknown', problems: [problem] }
  }
}

type Store = NonNullable<AdminTask['store']>

async function readTables(
  { db }: Store,
  { id: network, upto }: AdminTask['network'],
  sponsor: string,
) {
  const [channels, counts, all, keeper] = await Promise.all([
    countChannels(db, network, sponsor),
    countUnfinished(db, network),
    listChannels(db, network, sponsor),
    upto && readKeeperState(db, network, upto.contract),
  ])
  const unfinished = counts.claimed + counts.submitted
  const highestIndex = Math.max(-1, ...all.map(({ index }) => index))
  return { channels, settlements: { unfinished, ...counts }, highestIndex, keeper }
}
