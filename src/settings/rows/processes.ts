import { z } from 'zod'
import { catalogSettings } from './catalog.ts'
import { explorerSettings } from './explorer.ts'
import { boolean } from './kinds.ts'
import { networkSwitches, paymentSettings } from './payments.ts'
import { type OtherProcess, type SettingsTable, settingsTable } from './row.ts'
import { serviceSettings } from './service.ts'
import { storeSettings } from './store.ts'
import { uptoKeeperSettings } from './upto-keeper.ts'

/* The table of each process, without what it reads of each network. */

const partsOfServe = settingsTable({
  BAZAAR_ENABLED: {
    member: false,
    help: 'Whether paid resources are listed in the catalog: `svc serve` then serves `/discovery` and checks the origins, `svc facilitator` leaves that to `svc catalog`.',
    preflight: false,
    crd: {
      path: 'catalog.enabled',
      type: z.boolean().default(false),
      description: 'Whether to run catalog pods.',
    },
    ...boolean(true),
  },
  EXPLORER_ENABLED: {
    member: false,
    help: 'Whether `svc serve` also reads the payments of the networks for the explorer, and serves it on `EXPLORER_PORT`; `svc facilitator` leaves that to `svc explorer`.',
    ...boolean(true),
  },
})

type ReadBy<Table, Process> = {
  readonly [Name in keyof Table as Table[Name] extends {
    readonly alsoReadBy: readonly (infer Other)[]
  }
    ? Process extends Other
      ? Name
      : never
    : never]: Table[Name]
}

const readBy = <Table extends SettingsTable, Process extends OtherProcess>(
  table: Table,
  process: Process,
) =>
  Object.fromEntries(
    Object.entries(table).filter(([, { alsoReadBy }]) => alsoReadBy?.includes(process)),
  ) as ReadBy<Table, Process>

/** The settings of `svc serve`, which does the work of all processes. */
export const serveSettings = {
  ...serviceSettings,
  ...storeSettings,
  BAZAAR_ENABLED: partsOfServe.BAZAAR_ENABLED,
  ...catalogSettings,
  EXPLORER_ENABLED: partsOfServe.EXPLORER_ENABLED,
  ...explorerSettings,
}

export const catalogServiceSettings = readBy(serviceSettings, 'catalog')
export const explorerServiceSettings = readBy(serviceSettings, 'explorer')

/** The settings of each process when it runs alone. */
export const processSettings = {
  facilitator: {
    ...serviceSettings,
    ...storeSettings,
    BAZAAR_ENABLED: partsOfServe.BAZAAR_ENABLED,
  },
  catalog: { ...catalogServiceSettings, ...storeSettings, ...catalogSettings },
  explorer: { ...explorerServiceSettings, ...storeSettings, ...explorerSettings },
}

/** The settings that a facilitator reads for each network, except those that only the Stellar library can check. */
export const perNetworkSettings = {
  ...paymentSettings,
  ...networkSwitches,
  ...uptoKeeperSettings,
}
