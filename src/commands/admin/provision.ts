import { provisionChannels } from '../../payments/channels/create/provision.ts'
import { planProvision } from '../../payments/channels/create/provision-plan.ts'
import {
  storeHas,
  type UnmergedChannels,
} from '../../payments/channels/retire/unmerged-channels.ts'
import { countChannels } from '../../payments/store/channels/count.ts'
import { decimalXlm, formatXlm } from '../../platform/core/amounts/stroops.ts'
import { variablePrefixes } from '../../platform/core/caip2.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { createLogger } from '../../platform/telemetry/logs/logger.ts'
import { command } from '../command-line/command.ts'
import { asksNote, notConfirmedExit, type Plan, yesFlag } from '../command-line/confirm.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
} from './admin-command.ts'

export const provision = command({
  name: 'provision',
  summary: 'creates the channel accounts that are missing',
  usage: ['svc provision [--network ID] [--count N] [--yes]'],
  flags: {
    ...adminFlags({ count: 'number of channels; CHANNEL_COUNT unless given' }),
    yes: yesFlag,
  },
  notes: [
    'The sponsor pays the fees, and the reserve of 1 XLM for each channel, which svc retire returns.',
    'Where TESTNET_UPTO_CONTRACT is set, likewise creates the settlement authority, and that of the',
    'sponsor of TESTNET_PREVIOUS_SPONSOR_SECRET if there is one.',
    'Brings the schema up to date first. May be stopped, killed and run again at any moment, also beside',
    'a running service: existing channels are kept. Refuses a sponsor whose channels the operator of',
    'another database manages, as the ledger says. Prints a line of JSON for each network.',
    ...asksNote,
  ],
  env: [
    ...adminEnv,
    ['INCLUSION_FEE_STROOPS', 'the bid for each of three operations a channel'],
    ['MIN_SPONSOR_BALANCE_XLM', 'what the sponsor must have left to spend, or nothing is created'],
  ],
  exits: { 0: 'all channels are in place', 1: 'not all, and why', ...notConfirmedExit },
  example: 'svc provision --network stellar:testnet --count 12',
  config: adminConfig,
  handlesStop: true,
  run: (input) =>
    onEveryNetwork(
      { name: 'provision', progress: 'in place', plan: planFor, run: provisionNetwork },
      input,
    ),
})

async function provisionNetwork(task: AdminTask): Promise<AdminReport> {
  const { network, count, rpc, store, signal, onProgress } = task
  await store?.migrate()
  const { sponsor, existing, missingAuthorities, others } = await planProvision(planOptions(task))
  await provisionChannels({
    ...planOptions(task),
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    onProgress,
  })
  const { address } = sponsor
  const counts = store && (await countChannels(store.db, network.id, address))
  const balance = (await rpc.accounts([address], signal)).get(address)?.balance
  const facts = {
    sponsor: address,
    channels: counts?.active ?? count,
    created: count - existing,
    authority: network.upto ? task.sponsors.keys.authority(network.id).address : null,
    authoritiesCreated: missingAuthorities.length,
    balanceXlm: balance === undefined ? null : decimalXlm(balance),
  }
  return { facts, problems: [], hint: others.length > 0 ? anotherSeed(task, others) : undefined }
}

const planOptions = ({ network, sponsors, count, rpc, store, signal }: AdminTask) => ({
  network: network.id,
  keys: sponsors.keys,
  count,
  servesUpto: network.upto !== undefined,
  previousSponsor: sponsors.previousSponsor,
  inclusionFee: network.inclusionFee.floorStroops,
  keepSpendable: network.minSponsorBalance,
  rpc,
  store,
  signal,
})

/** Writes nothing, also no migration: of a store with an older schema it reads nothing. */
async function planFor(task: AdminTask): Promise<Plan | undefined> {
  const { count, store: given } = task
  const pending = (await given?.pendingMigrations()) ?? []
  const store = pending.length > 0 ? undefined : given
  const plan = await planProvision({ ...planOptions(task), store })
  const { sponsor, existing, missing, missingAuthorities, locked, fees, others } = plan
  if (missing === 0 && missingAuthorities.length === 0) return undefined
  const times = existing > 0 ? Math.floor(count / existing) : 1
  const many = times > 1 ? `, ${times} times as many as now` : ''
  return [
    ['sponsor', sponsor.address],
    ['balance', formatXlm(sponsor.balance)],
    ['channels', `${missing} to create, ${existing} exist: ${count} in all${many}`],
    ...missingAuthorities.map(
      (address) => ['authority', `${address} to create, for the scheme upto`] as const,
    ),
    ['locked', `${formatXlm(locked)} of the balance, until svc retire`],
    ['fees', `at most ${formatXlm(fees)}`],
    ...(pending.length > 0 ? ([['schema', 'is brought up to date first']] as const) : []),
    ...(others.length > 0 ? ([['note', anotherSeed(task, others)]] as const) : []),
  ]
}

const anotherSeed = ({ network }: AdminTask, others: readonly UnmergedChannels[]): string =>
  `this sponsor had no channels, and ${storeHas(others)}: is ${variablePrefixes[network.id]}SPONSOR_SECRET the seed that you mean?`
