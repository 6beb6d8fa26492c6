import { channelSigner } from '../channels/derive.ts'
import { minimumBalance } from '../channels/minimum-balance.ts'
import { decimalXlm } from '../core/stroops.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { listChannels } from '../store/channels/channel.ts'
import { countChannels } from '../store/channels/count.ts'
import { countUnfinished } from '../store/settlements/count-unfinished.ts'
import {
  type AdminReport,
  type AdminTask,
  adminConfig,
  adminEnv,
  adminFlags,
  onEveryNetwork,
  sentenceOf,
} from './admin-command.ts'
import { command } from './command/command.ts'

export const status = command({
  name: 'status',
  summary: 'shows the state of sponsor, channels and settlements; writes nothing',
  usage: ['svc status [--network ID] [--count N]'],
  flags: adminFlags({
    count: 'an earlier CHANNEL_COUNT: how many channels to look for on the ledger',
  }),
  notes: [
    'Prints a line of JSON for each network; what could not be read is null, and problems says why.',
  ],
  env: adminEnv,
  exits: { 0: 'everything was read', 1: 'not everything, and why' },
  example: 'svc status --network stellar:testnet',
  config: adminConfig,
  handlesStop: true,
  run: (input) => onEveryNetwork({ name: 'status', run: statusOf }, input),
})

async function statusOf(task: AdminTask): Promise<AdminReport> {
  const sponsor = signerFromSecret(task.network.sponsorSecret).address
  const stored = await part(() => readStore(task, sponsor))
  const onLedger = await part(() => readLedger(task, sponsor, stored.facts?.highestIndex ?? -1))
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
    hint: task.store ? undefined : MEMORY_STORE,
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

async function readStore({ store, network }: AdminTask, sponsor: string) {
  if (!store) return { problems: [] }
  const { missing, newer } = await store.schemaState()
  if (newer) return { problems: [newer.message] }
  if (missing.length > 0) {
    return {
      problems: [`the schema lacks ${missing.join(', ')}: svc migrate brings it up to date`],
    }
  }
  const [census, counts, channels] = await Promise.all([
    countChannels(store.db, network.id, sponsor),
    countUnfinished(store.db, network.id),
    listChannels(store.db, network.id, sponsor),
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
  /** XLM that may be withdrawn from the sponsor: it keeps enough to merge its channels. */
  readonly movableXlm: string | null
}

async function readLedger(
  { network, count, rpc, signal }: AdminTask,
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
  // Without the highest bid of svc retire for each channel, the reserves would stay locked.
  const movable = account.balance - minimumBalance(account) - BigInt(channels) * inclusionFeeCap
  return {
    facts: {
      ...facts,
      balanceXlm: decimalXlm(account.balance),
      movableXlm: decimalXlm(movable > 0n ? movable : 0n),
    },
    problems: [],
  }
}
