import { z } from 'zod'
import { type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'
import type { RpcHeader } from '../../stellar/rpc/rpc-headers.ts'
import { optionalList, splitList } from '../rows/kinds.ts'
import { type Kind, type SettingsOf, settingsTable } from '../rows/row.ts'
import { isContract } from './addresses.ts'
import { uptoContractSetting } from './upto-settings.ts'

/** A network whose ledgers the explorer reads. */
export interface ExplorerNetwork {
  readonly id: NetworkId
  readonly rpcUrls: readonly string[]
  readonly rpcHeaders: readonly RpcHeader[]
  /** Contracts of the assets whose payments count. */
  readonly watchedSacs: WatchedSacs
  /** Settlement contracts whose calls count as payments of the scheme `upto`. */
  readonly uptoContracts: readonly string[]
}

type WatchedSacs = 'all' | readonly string[]

/** The contract of EURC on pubnet, derived from Circle's issuer GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2. */
const EURC_ON_PUBNET = 'CDTKPWPLOURQA2SGTKTUQOWRCBZEORB4BWBOMJ3D3ZTQQSGE5F6JBQLV'

/** On pubnet anyone can issue tokens of any name, and pay with them at little cost: they must be named to count. */
const defaultSacs: Readonly<Record<NetworkId, WatchedSacs>> = {
  'stellar:testnet': 'all',
  'stellar:pubnet': [usdcContracts['stellar:pubnet'], EURC_ON_PUBNET],
}

const watchedSacs: Kind<WatchedSacs | undefined> = {
  schema: z
    .string()
    .transform((text): WatchedSacs => (text === 'all' ? text : [...new Set(splitList(text))]))
    .refine((sacs) => sacs === 'all' || (sacs.length > 0 && sacs.every(isContract)), {
      error: 'must be all, or one or more contract addresses with commas between them',
    })
    .optional(),
  fallback: '`all` on testnet, USDC and EURC on pubnet',
  range: '`all`, or one or more contract addresses',
}

export const explorerNetworkSettings = settingsTable({
  WATCHED_SACS: {
    member: false,
    shared: true,
    help: 'Contracts of the assets whose payments the explorer shows, comma-separated; `all` for every asset.',
    ...watchedSacs,
  },
  UPTO_CONTRACT: uptoContractSetting,
  OTHER_UPTO_CONTRACTS: {
    member: false,
    help: 'Settlement contracts of other facilitators, comma-separated. The explorer shows calls of them as payments too; it trusts none that a facilitator merely names.',
    ...optionalList('contract addresses', isContract),
  },
})

export const explorerNetwork = (
  id: NetworkId,
  settings: SettingsOf<typeof explorerNetworkSettings> & {
    readonly RPC_URL: readonly string[]
    readonly RPC_HEADERS: readonly RpcHeader[]
  },
): ExplorerNetwork => ({
  id,
  rpcUrls: settings.RPC_URL,
  rpcHeaders: settings.RPC_HEADERS,
  watchedSacs: settings.WATCHED_SACS ?? defaultSacs[id],
  uptoContracts: [...new Set([settings.UPTO_CONTRACT ?? [], settings.OTHER_UPTO_CONTRACTS].flat())],
})
