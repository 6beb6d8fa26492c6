import { retireChannels } from '../../payments/channels/retire/retire.ts'
import { planRetirement } from '../../payments/channels/retire/retire-plan.ts'
import {
  RetireRefusal,
  refuseBesideService,
  refuseMarkedByAnother,
} from '../../payments/channels/retire/retire-refusal.ts'
import {
  storeHas,
  type UnmergedChannels,
} from '../../payments/channels/retire/unmerged-channels.ts'
import { decimalXlm, formatXlm } from '../../platform/core/amounts/stroops.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { command } from '../command-line/command.ts'
import { asksNote, notConfirmedExit, type Plan, yesFlag } from '../command-line/confirm.ts'
import { flag } from '../command-line/flags.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
} from './admin-command.ts'

export const retire = command({
  name: 'retire',
  summary: 'merges every channel account back into the sponsor, which returns every reserve',
  usage: ['svc retire [--network ID] [--count N] [--force] [--yes]'],
  flags: {
    ...adminFlags({ count: 'an earlier CHANNEL_COUNT, for channels that the store does not know' }),
    force: flag('also beside a service that runs; needed with STORE=memory, which shows none'),
    yes: yesFlag,
  },
  notes: [
    'Stop the service first. Refuses, and changes nothing, while a replica serves the network (its',
    'last heartbeat is at most 30 s old), while a settlement of the network is unfinished or a channel',
    'is leased, and for the seed of an account that does not exist or is not the sponsor of the',
    'channels. The service does not use a retired channel again until svc provision recreates it.',
    'Refuses, too, when the ledger says that the operator of another database manages the channels.',
    'Merges the settlement authorities of the scheme upto last: its own, and that of the sponsor of',
    'TESTNET_PREVIOUS_SPONSOR_SECRET.',
    'May be stopped, killed and run again at any moment: it continues from there. Prints a line of',
    'JSON for each network.',
    ...asksNote,
  ],
  env: [...adminEnv, ['INCLUSION_FEE_STROOPS', 'the bid for each channel']],
  exits: { 0: 'no channel is left', 1: 'refused or not done, and why', ...notConfirmedExit },
  example: 'svc retire --network stellar:testnet',
  config: adminConfig,
  handlesStop: true,
  run: (input) => {
    const { force } = input.flags
    const run = (task: AdminTask) => retireNetwork(task, force)
    const plan = (task: AdminTask) => planFor(task, force)
    return onEveryNetwork({ name: 'retire', progress: 'merged', plan, run }, input)
  },
})

async function retireNetwork(task: AdminTask, isForced: boolean): Promise<AdminReport> {
  const { sponsors, rpc, store, signal, onProgress } = task
  refuseInMemory(task, isForced)
  await store?.migrate()
  const { others } = await planRetirement(planOptions(task))
  const merged = await retireChannels({
    ...planOptions(task),
    besideService: isForced,
    clock: systemClock,
    onProgress,
  })
  const sponsor = sponsors.keys.address
  const account = (await rpc.accounts([sponsor], signal)).get(sponsor)
  const stillSponsoring = account?.sponsoring ?? 0
  const facts = {
    sponsor,
    merged,
    stillSponsoring,
    balanceXlm: account ? decimalXlm(account.balance) : null,
  }
  return { facts, problems: [], hint: hintFor(stillSponsoring, others) }
}

function refuseInMemory({ store }: AdminTask, isForced: boolean): void {
  if (store || isForced) return
  throw new RetireRefusal(
    'with STORE=memory nothing shows whether a payment is in progress: stop the service, then use --force',
  )
}

/** Writes nothing, also no migration: of a store with an older schema it reads nothing. */
async function planFor(task: AdminTask, isForced: boolean): Promise<Plan | undefined> {
  const { network, store: given } = task
  refuseInMemory(task, isForced)
  const pending = (await given?.pendingMigrations()) ?? []
  const store = pending.length > 0 ? undefined : given
  const plan = await planRetirement({ ...planOptions(task), store })
  const { sponsor, channels, authorities, returned, fees, others } = plan
  if (store && !isForced) {
    await refuseBesideService(store.db, { network: network.id, sponsor: sponsor.address })
    await refuseMarkedByAnother({ sponsor: sponsor.address }, { ...planOptions(task), store })
  }
  if (channels === 0 && authorities.length === 0) return undefined
  return [
    ['sponsor', sponsor.address],
    ['balance', formatXlm(sponsor.balance)],
    ['channels', `${channels} on the ledger, which are merged into the sponsor`],
    ...authorities.map(
      (address) => ['authority', `${address}, for the scheme upto, is merged last`] as const,
    ),
    ['returned', `${formatXlm(returned)}, the reserves of these accounts`],
    ['fees', `at most ${formatXlm(fees)}`],
    ...(isForced
      ? ([['--force', 'also beside a service, which then serves no payment']] as const)
      : []),
    ...(pending.length > 0 ? ([['schema', 'is brought up to date first']] as const) : []),
    ...(others.length > 0 ? ([['not merged', `${storeHas(others)}, which stay`]] as const) : []),
  ]
}

const planOptions = ({ network, sponsors, count, rpc, store, signal }: AdminTask) => ({
  network: network.id,
  keys: sponsors.keys,
  previousSponsor: sponsors.previousSponsor,
  count,
  inclusionFee: network.inclusionFee.floorStroops,
  rpc,
  store,
  signal,
})

function hintFor(stillSponsoring: number, others: readonly UnmergedChannels[]): string | undefined {
  if (stillSponsoring > 0) return MORE_CHANNELS
  return others.length > 0
    ? `${storeHas(others)} to merge with the seed of that sponsor`
    : undefined
}

const MORE_CHANNELS =
  'the sponsor still pays reserves on the ledger: if there were more channels once, give their number with --count; for the settlement authority of an earlier sponsor, set its seed as the previous one'
