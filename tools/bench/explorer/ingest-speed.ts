import { fileURLToPath } from 'node:url'
import { LedgerReader } from '../../../src/explorer/ingest/ledger-reader.ts'
import { observePayments } from '../../../src/explorer/ingest/observe-payments.ts'
import type { ObservedPayment } from '../../../src/explorer/observed-payment.ts'
import { writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { rpcPool } from '../../../src/stellar/rpc/pool/rpc-pool.ts'
import { rpcClients } from '../../../src/stellar/rpc/rpc-client.ts'
import { monotonicMs } from '../monotonic.ts'
import { startProgram } from '../program.ts'

const network = 'stellar:testnet'
const passphrase = passphrases[network]
/** The same as the backfill uses. */
const MAX_PAYMENTS = 1_000
const PAGE_SIZE = 200

/** Payments that are read from an endpoint on loopback, classified and written in a second, without pacing. */
export async function measureIngest(
  db: Db,
  population: number,
  { payments, from }: { readonly payments: number; readonly from: number },
): Promise<number> {
  const script = fileURLToPath(new URL('serve-pages.ts', import.meta.url))
  await using endpoint = await startProgram({
    name: 'pages',
    args: [script, String(payments), String(population), String(from)],
    isReady: ({ url }) => url !== undefined,
  })
  const rpc = rpcPool({
    endpoints: rpcClients([String(endpoint.ready['url'])], { timeoutMs: 30_000, allowHttp: true }),
    passphrase,
    clock: systemClock,
    log: createLogger({ level: 'error' }),
  })
  await rpc.identify()
  const { id } = await db
    .selectFrom('explorer_epochs')
    .select('id')
    .where('network', '=', network)
    .executeTakeFirstOrThrow()
  const reader = new LedgerReader(
    {
      rpc,
      pageSize: PAGE_SIZE,
      believedLedgers: 0,
      observe: (transactions) =>
        observePayments(transactions, {
          clock: systemClock,
          onSkipped: (reason) => {
            throw new Error(`a generated payment was skipped: ${reason}`)
          },
          ...{ passphrase, uptoContracts: new Set<string>(), watchedAssets: 'all' },
        }),
    },
    1_000,
  )
  const startedAt = monotonicMs()
  let written = 0
  let waiting: ObservedPayment[] = []
  for (let isAtEnd = false; !isAtEnd; ) {
    const read = await reader.take(await reader.fetch(AbortSignal.timeout(60_000)))
    isAtEnd = read.isAtEnd
    waiting.push(...read.payments)
    if (waiting.length < MAX_PAYMENTS && !isAtEnd) continue
    const batch = waiting
    waiting = []
    const counts = await inTransaction(db, (tx) => writeLedgers(tx, { network, id }, batch))
    written += counts.reduce((sum, each) => sum + each.payments, 0)
  }
  if (written !== payments) throw new Error(`${written} of ${payments} payments were written`)
  return written / ((monotonicMs() - startedAt) / 1_000)
}
