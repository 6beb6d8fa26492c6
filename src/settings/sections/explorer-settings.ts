import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings } from '../parser/settings.ts'
import type { explorerSettings } from '../rows/explorer.ts'
import type { MembersOf } from '../rows/row.ts'
import type { storeSettings } from '../rows/store.ts'
import type { ExplorerNetwork } from './explorer-network.ts'
import { urlProblems } from './store-settings.ts'

type ExplorerTable = typeof explorerSettings

/** The explorer of all x402 payments of the networks. */
export interface ExplorerConfig extends MembersOf<ExplorerTable> {
  /** The networks in the order of `NETWORKS`; never empty. */
  readonly networks: readonly ExplorerNetwork[]
}

/** Problems between these settings, with the store and with the networks. */
export function explorerProblems(
  { settings, variable }: ParsedSettings<ExplorerTable & typeof storeSettings>,
  networks: readonly NetworkId[],
): Problem[] {
  const { EXPLORER_DATABASE_URL: url, DATABASE_CA: ca } = settings
  const found = urlProblems({ variable: variable('EXPLORER_DATABASE_URL'), url, ca })
  if (settings.STORE === 'memory' && settings.EXPLORER_DATABASE_URL !== undefined) {
    found.push({
      variable: variable('EXPLORER_DATABASE_URL'),
      message: 'is set with STORE=memory, which has no replica: unset it',
    })
  }
  if (settings.EXPLORER_ALLOW_LOOPBACK && networks.includes('stellar:pubnet')) {
    found.push({
      variable: 'EXPLORER_ALLOW_LOOPBACK',
      message:
        'must not be true with stellar:pubnet: anyone could make this service call servers on this machine',
    })
  }
  return found
}
