/** An ingesting process within the test's own: killed by taking its database away for good. */

import { startIngest } from '../../../src/explorer/ingest/start-ingest.ts'
import type { IngestTimings } from '../../../src/explorer/ingest/timings.ts'
import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../src/platform/telemetry/metrics/metrics.ts'
import { rpcPool } from '../../../src/stellar/rpc/pool/rpc-pool.ts'
import { rpcClients } from '../../../src/stellar/rpc/rpc-client.ts'
import { startMortalPostgres } from './mortal-postgres.ts'

/** Short, so that a round takes a second; each is still several times what it has to outlast. */
const timings: Partial<IngestTimings> = {
  pollMs: 5,
  irregularPollMs: 20,
  backfillPauseMs: 2,
  idleBackfillMs: 20,
  leaseTtlMs: 1_000,
  renewLeaseMs: 150,
  acquireLeaseMs: 20,
  retry: { baseMs: 5, maxMs: 40 },
  confirmResetMs: 150,
  confirmSmallResetMs: 60_000,
  confirmGapMs: 60,
  upkeepMs: 100,
}

export interface IngestProcessOptions {
  readonly databaseUrl: string
  readonly rpcUrls: readonly string[]
  readonly holder: string
  readonly random: () => number
  readonly pageSize: number
}

export interface IngestProcess extends AsyncDisposable {
  /** Nothing that it does reaches the database any more. */
  kill(): void
  readonly isDead: boolean
  breakCommit(when: 'before' | 'after'): void
  breakConnections(): void
}

export async function startIngestProcess(options: IngestProcessOptions): Promise<IngestProcess> {
  const { databaseUrl, rpcUrls, holder, random, pageSize } = options
  await using opened = new AsyncDisposableStack()
  const postgres = opened.use(await startMortalPostgres(databaseUrl))
  const store = await openStore({
    kind: 'postgres',
    url: postgres.url,
    poolSize: 4,
    connectTimeoutMs: 20_000,
  })
  opened.defer(() => store.close())
  const log = createLogger({ level: 'silent' })
  const clock = systemClock
  const passphrase = passphrases['stellar:testnet']
  const endpoints = rpcClients(rpcUrls, { allowHttp: true, timeoutMs: 2_000 })
  const rpc = rpcPool({ endpoints, passphrase, clock, log, random, withinMs: 200 })
  opened.use(
    startIngest({
      db: store.db,
      clock,
      random,
      log,
      metrics: createMetrics(),
      networks: [
        {
          ...{ id: 'stellar:testnet', passphrase, rpc, watchedAssets: 'all' },
          uptoContracts: [uptoContract(passphrase)],
        },
      ],
      holder,
      timings: { ...timings, pageSize },
    }),
  )
  const running = opened.move()
  let isDead = false
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= running.disposeAsync()
    return ending
  }
  return {
    kill: () => {
      isDead = true
      postgres.cut('forever')
      // It reaches nothing any more. Left alone, it would try to connect fifty times a second.
      void end()
    },
    get isDead() {
      return isDead
    },
    breakCommit: (when) => postgres.breakCommit(when),
    breakConnections: () => postgres.cut(),
    [Symbol.asyncDispose]: end,
  }
}
