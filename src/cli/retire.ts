import { RetireRefusal, retireChannels } from '../channels/retire.ts'
import { passphrases } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { decimalAmount } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { type OperatorCommand, type OperatorTask, runOperatorCommand } from './admin-command.ts'
import { helpPage, operatorExits } from './help.ts'

const help = helpPage({
  name: 'retire',
  summary: 'merges every channel account back into the sponsor, which returns every reserve',
  usage: ['svc retire [--network ID] [--count N] [--force]'],
  options: [
    ['--network ID', 'of the configured NETWORKS, this one only'],
    ['--count N', 'an earlier CHANNEL_COUNT, for channels that the store does not know'],
    ['--force', 'needed with STORE=memory, where nothing says whether a payment is under way'],
  ],
  notes: [
    'Stop the service first. Refuses while any settlement of the network is unfinished or any channel',
    'leased, and changes nothing then. What is retired is leased no more; svc provision brings it back.',
    'May be stopped, killed and run again at any moment: it goes on where it was. Prints a line of JSON',
    'for each network.',
  ],
  environment: [
    ['NETWORKS', 'stellar:testnet'],
    ['..._RPC_URL', 'Stellar RPC endpoints, with TESTNET_ or PUBNET_ before it'],
    ['..._SPONSOR_SECRET', 'seed of the sponsor, or ..._SPONSOR_SECRET_FILE'],
    ['CHANNEL_COUNT', 'channels there shall be'],
    ['INCLUSION_FEE_STROOPS', 'the bid for each channel'],
    ['DATABASE_URL', 'or DATABASE_URL_FILE; STORE=memory does without'],
  ],
  exits: { 0: 'no channel is left', 1: 'refused or not done, and why', ...operatorExits },
  example: 'svc retire --network stellar:testnet',
})

const command: OperatorCommand = {
  name: 'retire',
  help,
  progress: 'merged',
  run: async (task) => {
    const { network, count, rpc, store, signal, onProgress } = task
    requireForce(task)
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
      balanceXlm: account ? decimalAmount(account.balance, 7) : null,
    }
    return { facts, problems: [], hint: stillSponsoring > 0 ? moreChannels : undefined }
  },
}

const moreChannels =
  'the sponsor still pays reserves on the ledger: if there were more channels once, name their --count'

function requireForce({ store, force }: OperatorTask): void {
  if (store || force) return
  throw new RetireRefusal(
    'with STORE=memory nothing says whether a payment is under way: stop the service, then use --force',
  )
}

/** @returns the exit code: 0 no channel is left, 1 refused or not done, 78 bad configuration */
export const retire = (args: readonly string[]): Promise<number> =>
  runOperatorCommand(command, args)
