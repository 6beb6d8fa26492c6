import type { Store } from '../../../platform/database/open.ts'
import { plainWrites, type StoreWrite } from '../../store/pools/fence.ts'
import type { Payer } from '../retire/rescue.ts'
import type { SponsorKeys } from '../sponsor-keys.ts'
import { leaseSource, type SourceOptions } from '../transaction-source.ts'

/** How a process that no lease limits reaches its store; without one it writes nothing. */
export const plainWritesOf = <S extends Pick<Store, 'db'>>(
  store: S | undefined,
): { readonly store: S | undefined; readonly write: StoreWrite } => ({
  store,
  write: store ? plainWrites(store.db) : () => Promise.reject(new Error('no store is open')),
})

/** A sponsor as one that pays for a transaction, its own or another one's, through a channel of its own. */
export const payerOf = (
  deps: Omit<SourceOptions, 'inStore' | 'keys'> & {
    readonly keys: SponsorKeys
    readonly write: StoreWrite
  },
): Payer => ({
  signer: deps.keys.signer,
  leaseSource: () => leaseSource({ ...deps, inStore: (run) => deps.write(run) }),
})
