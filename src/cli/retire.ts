import { RetireRefusal, retireChannels } from '../channels/retire.ts'
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
    force: flag('needed with STORE=memory, where nothing shows whether a payment is in progress'),
  },
  notes: [
    'Stop the service first. Refuses, and changes nothing, while a settlement of the network is',
    'unfinished or a channel is leased. The service does not use a retired channel again until',
    'svc provision recreates it. May be stopped, killed and run again at any moment: it continues',
    'from there. Prints a line of JSON for each network.',
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
  const { network, count, rpc, store, signal, onProgress } = task
  if (!store && !isForced) {
    throw new RetireRefusal(
      'with STORE=memory nothing shows whether a payment is in progress: stop the service, then use --force',
    )
  }
  await store?.migrate()
  const merged = await retireChannels({
    network: network.id,
    passphrase: passphrases[network.id],
    sponsorSecret: network.sponsorSecret,
    count,
    inclusionFee: network.inclusionFee,
    rpc,
    store,
    clock: systemClock,
    signal,
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
  return { facts, problems: [], hint: stillSponsoring > 0 ? MORE_CHANNELS : undefined }
}

const MORE_CHANNELS =
  'the sponsor still pays reserves on the ledger: if there were more channels once, give their number with --count'
