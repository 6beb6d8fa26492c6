import { provisionChannels } from '../channels/provision.ts'
import { passphrases } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { decimalXlm } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { countChannels } from '../store/channels/count.ts'
import { createLogger } from '../telemetry/logger.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
} from './admin-command.ts'
import { command } from './command/command.ts'

export const provision = command({
  name: 'provision',
  summary: 'creates the channel accounts that are missing',
  usage: ['svc provision [--network ID] [--count N]'],
  flags: adminFlags({ count: 'number of channels; CHANNEL_COUNT unless given' }),
  notes: [
    'The sponsor pays the fees, and the reserve of 1 XLM for each channel, which svc retire returns.',
    'Brings the schema up to date first. May be stopped, killed and run again at any moment, also beside',
    'a running service: existing channels are kept. Prints a line of JSON for each network.',
  ],
  env: [
    ...adminEnv,
    ['INCLUSION_FEE_STROOPS', 'the bid for each of three operations a channel'],
    ['MIN_SPONSOR_BALANCE_XLM', 'what the sponsor must have left to spend, or nothing is created'],
  ],
  exits: { 0: 'all channels are in place', 1: 'not all, and why' },
  example: 'svc provision --network stellar:testnet --count 12',
  config: adminConfig,
  handlesStop: true,
  run: (input) =>
    onEveryNetwork({ name: 'provision', progress: 'in place', run: provisionNetwork }, input),
})

async function provisionNetwork(task: AdminTask): Promise<AdminReport> {
  const { network, count, rpc, store, signal, onProgress } = task
  await store?.migrate()
  const sponsor = signerFromSecret(network.sponsorSecret).address
  let existing: number | undefined
  await provisionChannels({
    network: network.id,
    passphrase: passphrases[network.id],
    sponsorSecret: network.sponsorSecret,
    count,
    inclusionFee: network.inclusionFee,
    keepSpendable: network.minSponsorBalance,
    rpc,
    store,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    signal,
    onProgress: (progress) => {
      existing ??= progress.done
      onProgress(progress)
    },
  })
  const counts = store && (await countChannels(store.db, network.id, sponsor))
  const balance = (await rpc.accounts([sponsor], signal)).get(sponsor)?.balance
  const facts = {
    sponsor,
    channels: counts?.active ?? count,
    created: count - (existing ?? count),
    balanceXlm: balance === undefined ? null : decimalXlm(balance),
  }
  return { facts, problems: [] }
}
