import { openStore, type Store } from '../../platform/database/open.ts'
import type { ExplorerConfig } from '../../settings/tables/explorer-settings.ts'
import type { StoreConfig } from '../../settings/tables/store-settings.ts'

type ReadStore = Pick<Store, 'db' | 'ping'> & AsyncDisposable

/**
 * Where the API and the pages of the explorer read. It has connections of its own, so that slow pages take none from
 * those that write: they would delay payments, or the ledgers that the explorer has to write in time.
 * @param store what a store in memory shares: it is one database in this process
 */
export async function openReadStore(
  { readUrl, readPoolSize: poolSize }: Pick<ExplorerConfig, 'readUrl' | 'readPoolSize'>,
  from: StoreConfig,
  store: Store,
): Promise<ReadStore> {
  if (from.kind === 'memory') {
    return { db: store.db, ping: () => store.ping(), [Symbol.asyncDispose]: async () => undefined }
  }
  const { url, ca, statementTimeoutMs } = from
  const shared = { kind: 'postgres', ca, poolSize, statementTimeoutMs } as const
  return openStore(
    readUrl === undefined
      ? { ...shared, url }
      : { ...shared, url: readUrl, urlVariable: 'EXPLORER_DATABASE_URL' },
  )
}
