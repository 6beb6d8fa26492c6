/** Fills a database, in a process of its own so that its memory is not measured: URL, number of payments, and the time of the last one in Unix seconds. */
import { openStore } from '../../../src/platform/database/open.ts'
import { fillPayments } from './fill-payments.ts'
import { populationOf } from './population.ts'

const [url = '', payments, now] = process.argv.slice(2)
// One connection, whose settings hold for all statements.
await using store = await openStore({
  kind: 'postgres',
  url,
  poolSize: 1,
  statementTimeoutMs: 3_600_000,
})
await store.migrate()
await fillPayments(store.db, populationOf(Number(payments)), Number(now))
