import { retireChannels } from '../channels/retire.ts'
import { planRetirement } from '../channels/retire-plan.ts'
import { RetireRefusal, storeHas, type UnmergedChannels } from '../channels/retire-refusal.ts'
import { passphrases } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { decimalXlm } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
} from './admin-command.ts'
import { command } from './command/command.ts'
import { flag } from './command/flags.ts'

export const retire = command({
  name: 'retire',
  summary: 'merges every channel account back into the sponsor, which returns every reserve',
  usage: ['svc retire [--network ID] [--count N] [--force]'],
  flags: {
    ...adminFlags({ count: 'an earlier CHANNEL_COUNT, for channels that the store does not know' }),
    force: flag('also beside a service that runs; needed with STORE=memory, which shows none'),
  },
  notes: [
    'Stop the service first. Refuses, and changes nothing, while a replica serves the network (its',
    'last heartbeat is at most 30 s old), while a settlement of the network is unfinished or a channel',
    'is leased, and for the seed of an account that does not exist or is not the sponsor of the',
    'channels. The service does not use a retired channel again until svc provision recreates it.',
    'May be stopped, killed and run again at any moment: it continues from there. Prints a line of',
    'JSON for each network.',
  ],
  env: [...adminEnv, ['INCLUSION_FEE_STROOPS', 'the bid for each channel']],
  exits: { 0: 'no channel is left', 1: 'refused or not done, and why' },
  example: 'svc retire --network stellar:testnet',
  config: adminConfig,
  handlesStop: true,
  run: (input) => {
    const run = (task: AdminTask) => retireNetwork(task, input.flags.force)
    return onEveryNetwork({ name: 'retire', progress: 'merged', run }, input)
  },
})

async function retireNetwork(task: AdminTask, isForced: boolean): Promise<AdminReport> {
  const { network, rpc, store, signal, onProgress } = task
  if (!store && !isForced) {
    throw new RetireRefusal(
      'with STORE=memory nothing shows whether a payment is in progress: stop the service, then use --force',
    )
  }
  await store?.migrate()
  const { others } = await planRetirement(planOptions(task))
  const merged = await retireChannels({
    ...planOptions(task),
    passphrase: passphrases[network.id],
    besideService: isForced,
    clock: systemClock,
    onProgress,
  })
  const sponsor = signerFromSecret(network.sponsorSecret).address
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

const planOptions = ({ network, count, rpc, store, signal }: AdminTask) => ({
  network: network.id,
  sponsorSecret: network.sponsorSecret,
  count,
  inclusionFee: network.inclusionFee,
  rpc,
  store,
  signal,
})

function hintFor(stillSponsoring: number, others: readonly UnmergedChannels[]): string | undefined {
  if (stillSponsoring > 0) return MORE_CHANNELS
  return others.length > 0 ? `${storeHas(others)} with the seed of that sponsor` : undefined
}

const MORE_CHANNELS =
  'the sponsor still pays reserves on the ledger: if there were more channels once, give their number with --count'
