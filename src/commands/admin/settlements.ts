import {
  type ManualResolution,
  NotResolvable,
  requireResolvable,
  resolveSettlement,
} from '../../payments/engine/follow/resolve-by-hand.ts'
import { findSettlementByHash } from '../../payments/store/settlements/find.ts'
import { listSettlements } from '../../payments/store/settlements/list.ts'
import type { Settlement } from '../../payments/store/settlements/settlement.ts'
import { asStroops } from '../../platform/core/amounts/stroops.ts'
import { openStore, type Store } from '../../platform/database/open.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../platform/database/schema-newer.ts'
import { messageOf } from '../../service/process/message-of.ts'
import { requireSchema, SchemaOutdated } from '../../service/server/schema-outdated.ts'
import { loadMigrateConfig } from '../../settings/migrate.ts'
import { command } from '../command-line/command.ts'
import {
  asksAtTerminal,
  asksNote,
  EX_NOT_CONFIRMED,
  isConfirmed,
  notConfirmedExit,
  type Plan,
  showPlan,
  yesFlag,
} from '../command-line/confirm.ts'
import {
  choice,
  choiceOr,
  type FlagValues,
  networkId,
  number,
  numberOr,
} from '../command-line/flags.ts'
import { isForPerson } from '../command-line/for-person.ts'
import { UsageError } from '../command-line/usage-error.ts'

const flags = {
  only: choiceOr(['unfinished', 'unresolvable', 'all'], 'unfinished', 'of list: which ones'),
  network: networkId('of list: this network only'),
  limit: numberOr(50, 'of list: the newest, at most this many'),
  as: choice(['succeeded', 'failed', 'expired'], 'of resolve: what you found'),
  ledger: number('N', 'of resolve: the ledger that the transaction is in'),
  fee: number('STROOPS', 'of resolve: the fee that the ledger charged for it'),
  yes: yesFlag,
}
type Values = FlagValues<typeof flags>

type Action = 'list' | 'show' | 'resolve'
/** Undefined: a person at the terminal did not confirm it. */
type Work = (store: Store, stop: AbortSignal) => Promise<readonly Settlement[] | undefined>

export const settlements = command({
  name: 'settlements',
  summary: 'shows settlements, and ends those whose outcome the ledger no longer shows',
  usage: [
    'svc settlements list [--only unfinished|unresolvable|all] [--network ID] [--limit 50]',
    'svc settlements show HASH',
    'svc settlements resolve HASH --as succeeded|failed --ledger N --fee STROOPS [--yes]',
    'svc settlements resolve HASH --as expired [--yes]',
  ],
  flags,
  actions: {
    list: ['only', 'network', 'limit'],
    show: [],
    resolve: ['as', 'ledger', 'fee', 'yes'],
  },
  positionals: workOf,
  notes: [
    "Prints a line of JSON for each settlement. HASH is the transaction's, 64 hex digits. Only an",
    'unresolvable settlement can be resolved: a facilitator finishes any other one.',
    ...asksNote,
  ],
  env: [
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE with the path of a file that holds it'],
  ],
  exits: { 0: 'done', 1: 'refused, not found, or no database', ...notConfirmedExit },
  example: 'svc settlements list --only unresolvable',
  config: (variables) => loadMigrateConfig(variables, { notInMemory: NOT_IN_MEMORY }),
  explain: messageOf(StoreUnavailable, SchemaNewer, SchemaOutdated, NotResolvable),
  run: async ({ positionals: work, config, flags, stop }) => {
    await using store = await openStore(config.store)
    await requireSchema(store)
    const found = await work(store, stop)
    if (!found) return EX_NOT_CONFIRMED
    for (const settlement of found) {
      process.stdout.write(`${JSON.stringify(shown(settlement))}\n`)
    }
    if (found.length === 0 && isForPerson()) process.stdout.write(`${noneOf(flags.only)}\n`)
    return 0
  },
})

const noneOf = (only: Values['only']): string =>
  only === 'all' ? 'No settlements.' : `No ${only} settlements.`

const NOT_IN_MEMORY =
  'settlements in memory are known only to the running service, at /health and /usage; set DATABASE_URL to the database of a service'

function workOf(words: readonly string[], values: Values, action: Action): Work {
  if (action === 'list') {
    if (words.length > 0) throw new UsageError(`list takes no argument, so not '${words[0]}'`)
    const { only, network, limit } = values
    return (store) => listSettlements(store.db, { only, network, limit })
  }
  const [hash = '', ...rest] = words
  if (rest.length > 0 || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new UsageError(`expected ${action} with the hash of one transaction, 64 hex digits`)
  }
  if (action === 'show') return async (store) => [await found(store, hash)]
  const resolution = resolutionOf(values)
  return async (store, stop) => {
    const settlement = await found(store, hash)
    requireResolvable(settlement, resolution)
    if (asksAtTerminal(values.yes)) {
      showPlan('svc settlements resolve', planOf(settlement, resolution))
      if (!(await isConfirmed('settlements', stop))) return undefined
    }
    return [await resolveSettlement(store, settlement, resolution)]
  }
}

function planOf({ key, facts, recorded }: Settlement, resolution: ManualResolution): Plan {
  const inLedger =
    resolution.as === 'expired'
      ? ''
      : ` in ledger ${resolution.ledger} for ${resolution.feeCharged} stroops`
  return [
    ['network', key.network],
    ['hash', recorded?.txHash ?? ''],
    ['payer', key.payer],
    ['payTo', facts.payTo],
    ['amount', `${facts.amount} base units of ${facts.asset}`],
    ['recorded', recorded?.recordedAt.toISOString() ?? ''],
    ['outcome', `${resolution.as}${inLedger}, which never changes again`],
  ]
}

function resolutionOf({ as, ledger, fee }: Values): ManualResolution {
  if (as === undefined) throw new UsageError('resolve needs --as')
  if (as === 'expired') return { as }
  if (ledger === undefined || fee === undefined) {
    throw new UsageError(`resolve --as ${as} needs --ledger and --fee`)
  }
  return { as, ledger, feeCharged: asStroops(BigInt(fee)) }
}

async function found({ db }: Store, hash: string): Promise<Settlement> {
  const settlement = await findSettlementByHash(db, hash)
  if (settlement) return settlement
  throw new NotResolvable(`no settlement was sent as ${hash}`)
}

/** A settlement without its envelope: anyone who has that could send it. */
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
