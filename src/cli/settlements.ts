import { parseArgs } from 'node:util'
import { loadMigrateConfig, type MigrateConfig } from '../config/migrate.ts'
import { asStroops } from '../core/stroops.ts'
import { NotResolvable, type Ruling, resolveSettlement } from '../facilitator/resolve.ts'
import { openStore, type Store } from '../store/open.ts'
import type { ListRequest } from '../store/settlements/list.ts'
import type { Settlement } from '../store/settlements/settlement.ts'
import { StoreUnavailable } from '../store/unavailable.ts'
import { withConfig } from './configured.ts'
import { networkOf, UsageError } from './flags.ts'
import { helpPage, operatorExits } from './help.ts'

const help = helpPage({
  name: 'settlements',
  summary: 'looks at settlements, and ends what the network cannot tell about',
  usage: [
    'svc settlements list [--only unfinished|unresolvable|all] [--network ID] [--limit 50]',
    'svc settlements show HASH',
    'svc settlements resolve HASH --as succeeded|failed --ledger N --fee STROOPS',
    'svc settlements resolve HASH --as expired',
  ],
  options: [
    ['--only WHICH', 'of list: unfinished unless given'],
    ['--network ID', 'of list: this network only'],
    ['--limit 50', 'of list: so many, the newest first'],
    ['--as OUTCOME', 'of resolve: what you found'],
    ['--ledger N', 'of resolve: the ledger that it is in'],
    ['--fee STROOPS', 'of resolve: what the ledger took for it'],
  ],
  notes: [
    "Prints a line of JSON for each settlement. HASH is the transaction's, 64 hex digits. Only an",
    'unresolvable settlement can be resolved: any other one ends by itself.',
  ],
  environment: [
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE with the path of a file that holds it'],
  ],
  exits: { 0: 'done', 1: 'refused, not found, or no database', ...operatorExits },
  example: 'svc settlements list --only unresolvable',
})

type Work = (store: Store) => Promise<readonly Settlement[]>

/** @returns the exit code: 0 done, 1 refused or no database, 78 bad configuration */
export async function settlements(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args)
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const work = workOf(positionals, values)
  return withConfig(loadMigrateConfig, (config) => run(config, work))
}

const readFlags = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      only: { type: 'string' },
      network: { type: 'string' },
      limit: { type: 'string' },
      as: { type: 'string' },
      ledger: { type: 'string' },
      fee: { type: 'string' },
    },
  })

const optionNames = ['only', 'network', 'limit', 'as', 'ledger', 'fee'] as const

type Flags = ReturnType<typeof readFlags>['values']

/** What each action takes besides a hash. */
const actions: Readonly<Record<string, readonly (keyof Flags)[]>> = {
  list: ['only', 'network', 'limit'],
  show: [],
  resolve: ['as', 'ledger', 'fee'],
}

function workOf([action, hash, ...rest]: readonly string[], flags: Flags): Work {
  const taken = action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined
  if (!taken)
    throw new UsageError('expected list, or show or resolve with the hash of a transaction')
  const stranger = optionNames.find((name) => flags[name] !== undefined && !taken.includes(name))
  if (stranger) throw new UsageError(`${action} does not take --${stranger}`)
  if (action === 'list' && hash === undefined) {
    const request = listRequest(flags)
    return (store) => store.settlements.list(request)
  }
  if (rest.length > 0 || hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new UsageError('expected list, or show or resolve with the hash of a transaction')
  }
  if (action === 'show') return async (store) => [await found(store, hash)]
  const ruling = rulingOf(flags)
  return async (store) => [await resolveSettlement(store, await found(store, hash), ruling)]
}

function listRequest({ only = 'unfinished', network, limit = '50' }: Flags): ListRequest {
  if (only !== 'all' && only !== 'unfinished' && only !== 'unresolvable') {
    throw new UsageError(`--only is unfinished, unresolvable or all, not ${only}`)
  }
  return { only, network: networkOf(network), limit: wholeNumber('--limit', limit) }
}

function rulingOf({ as, ledger, fee }: Flags): Ruling {
  if (as === 'expired') return { as }
  if (as !== 'succeeded' && as !== 'failed') {
    throw new UsageError(`--as is succeeded, failed or expired, not ${as ?? 'left out'}`)
  }
  const feeCharged = asStroops(BigInt(wholeNumber('--fee', fee)))
  return { as, ledger: wholeNumber('--ledger', ledger), feeCharged }
}

function wholeNumber(flag: string, text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`${flag} is a whole number, not ${text ?? 'left out'}`)
}

async function found({ settlements: { findByHash } }: Store, hash: string): Promise<Settlement> {
  const settlement = await findByHash(hash)
  if (settlement) return settlement
  throw new NotResolvable(`no settlement was sent as ${hash}`)
}

async function run({ store: options }: MigrateConfig, work: Work): Promise<number> {
  await using store = await openStore(options)
  try {
    for (const settlement of await work(store)) {
      process.stdout.write(`${JSON.stringify(shown(settlement))}\n`)
    }
    return 0
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof NotResolvable)) throw error
    process.stderr.write(`svc settlements: ${error.message}\n`)
    return 1
  }
}

/** Everything but the envelope, which whoever holds it could send. */
const shown = ({ key, facts, recorded, outcome, ...settlement }: Settlement) => ({
  ...key,
  state: settlement.state,
  attempt: settlement.attempt,
  hash: recorded?.txHash,
  innerHash: recorded?.innerHash,
  unresolvableBecause: settlement.unresolvableBecause,
  claimedAt: settlement.claimedAt,
  maxTime: recorded && new Date(recorded.maxTime * 1_000),
  channel: recorded?.channel,
  owner: settlement.owner,
  asset: facts.asset,
  payTo: facts.payTo,
  amount: facts.amount.toString(),
  ledger: outcome?.ledger,
  feeChargedStroops: outcome?.feeCharged?.toString(),
  finishedAt: outcome?.finishedAt,
  response: outcome?.response,
})
