import type { Store } from '../../../platform/database/open.ts'
import { plainWrites, type StoreWrite } from '../../store/pools/fence.ts'

/** How a process that no lease limits reaches its store; without one it writes nothing. */
export const plainWritesOf = <S extends Pick<Store, 'db'>>(
  store: S | undefined,
): { readonly store: S | undefined; readonly write: StoreWrite } => ({
  store,
  write: store ? plainWrites(store.db) : () => Promise.reject(new Error('no store is open')),
})
