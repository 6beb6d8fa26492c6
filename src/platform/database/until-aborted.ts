import type { KyselyPlugin } from 'kysely'
import type { Store } from './open.ts'

/** The same store for work that ends with a signal: after it no query begins, however many the database has made the work need. */
export function storeUntilAborted(store: Store, signal: AbortSignal): Store {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      signal.throwIfAborted()
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { ...store, db: store.db.withPlugin(plugin) }
}
