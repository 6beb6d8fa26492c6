/**
 * How many settlements two replicas finish in a second on one Postgres that waits for its disk; and how many
 * settlements one replica claims in a second, with an hourly budget and without; and what a declaration to the
 * catalog adds to a settlement. Part of `make bench`. Prints
 * Markdown; docs/performance.md explains it.
 */
import { sql } from 'kysely'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { openStore, type Store } from '../../src/platform/database/open.ts'
import { median } from './statistics.ts'
import { claimAlone, claimTogether, compareBudget, fillHour } from './store/claims.ts'
import { compareDeclarations, type DeclarationLoad } from './store/declarations.ts'
import { startDelayProxy } from './store/delay-proxy.ts'
import { type Finisher, measureFinishes, oneByOne, together } from './store/finishes.ts'
import { markdown } from './tables.ts'

const REPLICAS = 2
/** One way: the store is 2 ms away. */
const DELAY_MS = 1
/** Like a disk that takes 2 ms to write: transactions that commit during the wait share the write. */
const SLOW_DISK = ['commit_delay = 2000', 'commit_siblings = 0']

/** One by one, the last of 500 waits longer for a connection than a service would let it. */
const PATIENCE_MS = 60_000

interface Place {
  readonly name: string
  readonly delayMs?: number
  readonly settings?: readonly string[]
}

const places: readonly Place[] = [
  { name: 'on this machine' },
  { name: '2 ms away', delayMs: DELAY_MS },
  { name: 'a write takes 2 ms', settings: SLOW_DISK },
]

const ways: readonly { name: string; finisher: Finisher; hasTrigger: boolean }[] = [
  { name: 'one by one, notified in the transaction', finisher: oneByOne, hasTrigger: true },
  { name: 'one by one', finisher: oneByOne, hasTrigger: false },
  { name: '**together**', finisher: together, hasTrigger: false },
]

const rows: string[][] = []
for (const { name: place, delayMs, settings = [] } of places) {
  for (const { name, finisher, hasTrigger } of ways) {
    process.stderr.write(`${place}, ${name}\n`)
    await using postgres = await startEmbeddedPostgres({ durable: true })
    await prepare(postgres.url, settings, hasTrigger)
    await using resources = new AsyncDisposableStack()
    const proxy = delayMs && resources.use(await startDelayProxy(postgres.url, delayMs))
    const { url } = proxy || postgres
    const stores: Store[] = []
    for (let replica = 0; replica < REPLICAS; replica++) {
      stores.push(
        resources.use(await openStore({ kind: 'postgres', url, connectTimeoutMs: PATIENCE_MS })),
      )
    }
    const { perSecond, ledgers } = await measureFinishes(stores, finisher)
    rows.push([place, name, perSecond.toFixed(0), `${median(ledgers).toFixed(0)} ms`])
  }
}
const head = ['store', 'finishes', 'per second', 'p50 of 500 that end at once']
process.stdout.write(`## Finishes, ${REPLICAS} replicas\n\n${markdown(head, rows)}\n`)

const SETTLEMENTS_OF_THE_HOUR = [20_000, 200_000, 1_000_000]
const CLAIMS_AT_ONCE = 10

const claims: string[][] = []
{
  await using postgres = await startEmbeddedPostgres()
  await using store = await openStore({
    kind: 'postgres',
    url: postgres.url,
    statementTimeoutMs: PATIENCE_MS,
  })
  await store.migrate()
  for (const settlements of SETTLEMENTS_OF_THE_HOUR) {
    process.stderr.write(`claims, ${settlements} settlements\n`)
    await fillHour(store, settlements)
    for (const [name, claimer] of [
      ['one by one', claimAlone],
      ['**together**', claimTogether],
    ] as const) {
      const { withoutBudget, withBudget } = await compareBudget(store, claimer, CLAIMS_AT_ONCE)
      const figures = [withoutBudget.toFixed(0), withBudget.toFixed(0)]
      claims.push([settlements.toLocaleString('en'), name, ...figures])
    }
  }
}
const claimHead = [
  'settlements of the last hour',
  'claims',
  'per second without a budget',
  'with a budget',
]
process.stdout.write(`## Claims, ${CLAIMS_AT_ONCE} at a time\n\n${markdown(claimHead, claims)}\n`)

const loads: readonly DeclarationLoad[] = [
  { name: 'nothing, without the trigger', bytes: 0, hasTrigger: false },
  { name: 'nothing', bytes: 0, hasTrigger: true },
  { name: '1.5 KiB', bytes: 1_500, hasTrigger: true },
  { name: '64 KiB', bytes: 65_000, hasTrigger: true },
]
{
  await using postgres = await startEmbeddedPostgres({ durable: true })
  await using store = await openStore({ kind: 'postgres', url: postgres.url })
  await store.migrate()
  process.stderr.write('declarations\n')
  const times = await compareDeclarations(store, loads)
  const [base = 0] = times
  const row = ({ name }: DeclarationLoad, index: number) => {
    const ms = times[index] ?? 0
    return [name, `${ms.toFixed(2)} ms`, (ms / base).toFixed(2)]
  }
  const head = ['declared', 'claim, record and finish, p50', 'ratio']
  process.stdout.write(`## Declarations\n\n${markdown(head, loads.map(row))}\n`)
}

async function prepare(
  url: string,
  settings: readonly string[],
  hasTrigger: boolean,
): Promise<void> {
  await using store = await openStore({ kind: 'postgres', url })
  await store.migrate()
  for (const setting of settings) await sql.raw(`alter system set ${setting}`).execute(store.db)
  await sql`select pg_reload_conf()`.execute(store.db)
  if (!hasTrigger) return
  // The trigger as it was before migration 0009.
  await sql`create function tell_of_a_freed_channel() returns trigger language plpgsql as $$
    begin
      perform pg_notify('svc_channel_freed', new.network);
      return null;
    end $$`.execute(store.db)
  await sql`create trigger freed_channels_are_news after update of lease_owner on channels
    for each row when (old.lease_owner is not null and new.lease_owner is null)
    execute function tell_of_a_freed_channel()`.execute(store.db)
}
