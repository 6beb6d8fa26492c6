import { provisionChannels } from '../channels/provision.ts'
import { passphrases } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { decimalAmount } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { createLogger } from '../telemetry/logger.ts'
import { type OperatorCommand, runOperatorCommand } from './admin-command.ts'
import { helpPage, operatorExits } from './help.ts'

const help = helpPage({
  name: 'provision',
  summary: 'creates the channel accounts that are missing',
  usage: ['svc provision [--network ID] [--count N]'],
  options: [
    ['--network ID', 'of the configured NETWORKS, this one only'],
    ['--count N', 'channels there shall be; CHANNEL_COUNT unless given'],
  ],
  notes: [
    'The sponsor pays the fees, and the reserve of 1 XLM for each channel, which svc retire returns.',
    'Brings the schema up to date first. May be stopped, killed and run again at any moment, also beside',
    'a running service: what exists is found, not created again. Prints a line of JSON for each network.',
  ],
  environment: [
    ['NETWORKS', 'stellar:testnet'],
    ['..._RPC_URL', 'Stellar RPC endpoints, with TESTNET_ or PUBNET_ before it'],
    ['..._SPONSOR_SECRET', 'seed of the sponsor, or ..._SPONSOR_SECRET_FILE'],
    ['CHANNEL_COUNT', 'channels there shall be'],
    ['INCLUSION_FEE_STROOPS', 'the bid for each of three operations a channel'],
    ['DATABASE_URL', 'or DATABASE_URL_FILE; STORE=memory does without'],
  ],
  exits: { 0: 'all are in place', 1: 'not all, and why', ...operatorExits },
  example: 'svc provision --network stellar:testnet --count 12',
})

const command: OperatorCommand = {
  name: 'provision',
  help,
  progress: 'in place',
  run: async ({ network, count, rpc, store, signal, onProgress }) => {
    await store?.migrate()
    const sponsor = signerFromSecret(network.sponsorSecret).address
    let found: number | undefined
    await provisionChannels({
      network: network.id,
      passphrase: passphrases[network.id],
      sponsorSecret: network.sponsorSecret,
      count,
      inclusionFee: network.inclusionFee,
      rpc,
      store,
      clock: systemClock,
      log: createLogger({ level: 'silent' }),
      signal,
      onProgress: (progress) => {
        found ??= progress.done
        onProgress(progress)
      },
    })
    const census = await store?.channels.census(network.id, sponsor)
    const balance = (await rpc.accounts([sponsor], signal)).get(sponsor)?.balance
    const facts = {
      sponsor,
      channels: census?.active ?? count,
      created: count - (found ?? count),
      balanceXlm: balance === undefined ? null : decimalAmount(balance, 7),
    }
    return { facts, problems: [] }
  },
}

/** @returns the exit code: 0 all channels are in place, 1 they are not, 78 bad configuration */
export const provision = (args: readonly string[]): Promise<number> =>
  runOperatorCommand(command, args)
