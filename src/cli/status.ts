import { channelSigner } from '../channels/derive.ts'
import { minimumBalance } from '../channels/minimum-balance.ts'
import { decimalAmount } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import {
  type OperatorCommand,
  type OperatorTask,
  runOperatorCommand,
  sentenceOf,
} from './admin-command.ts'
import { helpPage, operatorExits } from './help.ts'

const help = helpPage({
  name: 'status',
  summary: 'says how sponsor, channels and settlements stand; writes nothing',
  usage: ['svc status [--network ID] [--count N]'],
  options: [
    ['--network ID', 'of the configured NETWORKS, this one only'],
    ['--count N', 'an earlier CHANNEL_COUNT: how many channels to look for on the ledger'],
  ],
  notes: [
    'Prints a line of JSON for each network; what could not be read is null, and problems says why.',
  ],
  environment: [
    ['NETWORKS', 'stellar:testnet'],
    ['..._RPC_URL', 'Stellar RPC endpoints, with TESTNET_ or PUBNET_ before it'],
    ['..._SPONSOR_SECRET', 'seed of the sponsor, or ..._SPONSOR_SECRET_FILE'],
    ['CHANNEL_COUNT', 'channels there shall be'],
    ['DATABASE_URL', 'or DATABASE_URL_FILE; STORE=memory does without'],
  ],
  exits: { 0: 'all is known', 1: 'it is not, and why', ...operatorExits },
  example: 'svc status --network stellar:testnet',
})

const command: OperatorCommand = {
  name: 'status',
  help,
  progress: '',
  run: async (task) => {
    const sponsor = signerFromSecret(task.network.sponsorSecret).address
    const stored = await part(() => storeView(task, sponsor))
    const onLedger = await part(() => ledgerView(task, sponsor, stored.facts?.highestIndex ?? -1))
    const { ledger = null, balanceXlm = null, movableXlm = null } = onLedger.facts ?? {}
    const { settlements = null, channels = unknownChannels } = stored.facts ?? {}
    return {
      facts: {
        sponsor,
        ledger,
        balanceXlm,
        movableXlm,
        channels: {
          configured: task.network.channelCount,
          onLedger: onLedger.facts?.channels ?? null,
          ...channels,
        },
        settlements,
      },
      problems: [...stored.problems, ...onLedger.problems],
      hint: task.store ? undefined : forgetful,
    }
  },
}

const forgetful = 'with STORE=memory only the service itself knows its channels and settlements'

const unknownChannels = {
  active: null,
  draining: null,
  retired: null,
  quarantined: null,
  sequenceUnknown: null,
  leased: null,
}

interface Part<Facts> {
  readonly facts?: Facts
  readonly problems: readonly string[]
}

/** What was read, or the sentence that says why it could not be. */
async function part<Facts>(read: () => Promise<Part<Facts>>): Promise<Part<Facts>> {
  try {
    return await read()
  } catch (error) {
    return { problems: [sentenceOf(error)] }
  }
}

async function storeView({ store, network }: OperatorTask, sponsor: string) {
  if (!store) return { problems: [] }
  const missing = await store.pendingMigrations()
  if (missing.length > 0) {
    return {
      problems: [`the schema lacks ${missing.join(', ')}: svc migrate brings it up to date`],
    }
  }
  const [census, counts, channels] = await Promise.all([
    store.channels.census(network.id, sponsor),
    store.settlements.countUnfinished(network.id),
    store.channels.list(network.id, sponsor),
  ])
  const unfinished = counts.claimed + counts.submitted
  const highestIndex = Math.max(-1, ...channels.map(({ index }) => index))
  return {
    facts: { channels: census, settlements: { unfinished, ...counts }, highestIndex },
    problems: [],
  }
}

interface LedgerFacts {
  readonly ledger: number
  readonly channels: number
  readonly balanceXlm: string | null
  /** What may leave the sponsor so that it can still pay for the merges of its channels. */
  readonly movableXlm: string | null
}

async function ledgerView(
  { network, count, rpc, signal }: OperatorTask,
  sponsor: string,
  highestIndex: number,
): Promise<Part<LedgerFacts>> {
  const { id, sponsorSecret, inclusionFeeCap } = network
  const addresses = Array.from(
    { length: Math.max(count, highestIndex + 1) },
    (_, index) => channelSigner(sponsorSecret, id, index).address,
  )
  const { sequence: ledger } = await rpc.latestLedger(signal)
  const accounts = await rpc.accounts([sponsor, ...addresses], signal)
  const account = accounts.get(sponsor)
  const channels = addresses.filter((address) => accounts.has(address)).length
  const facts: LedgerFacts = { ledger, channels, balanceXlm: null, movableXlm: null }
  if (!account) return { facts, problems: [`sponsor ${sponsor} does not exist on the ledger`] }
  // What svc retire may have to bid has to stay, or the reserves stay locked.
  const movable = account.balance - minimumBalance(account) - BigInt(channels) * inclusionFeeCap
  return {
    facts: {
      ...facts,
      balanceXlm: decimalAmount(account.balance, 7),
      movableXlm: decimalAmount(movable > 0n ? movable : 0n, 7),
    },
    problems: [],
  }
}

/** @returns the exit code: 0 all is known, 1 something could not be read, 78 bad configuration */
export const status = (args: readonly string[]): Promise<number> =>
  runOperatorCommand(command, args)
