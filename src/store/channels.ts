import type { Kysely } from 'kysely'
import type { NetworkId } from '../core/caip2.ts'
import { type ChannelCensus, census } from './channels/census.ts'
import {
  type Channel,
  type ChannelEntry,
  type ChannelUse,
  countUse,
  list,
  put,
} from './channels/channel.ts'
import { type DrainOutcome, drain, retire } from './channels/retire.ts'
import type { Database } from './schema.ts'

/** The channel accounts the store knows. Leasing belongs to the settlements that use them. */
export interface ChannelRepository {
  /** Every channel of a network, in sponsor and index order; of one sponsor when named. */
  list(network: NetworkId, sponsor?: string): Promise<readonly Channel[]>
  /** Writes channels found or created on the ledger; what is leased stays as it is. */
  put(entries: readonly ChannelEntry[]): Promise<void>
  countUse(network: NetworkId, sponsor: string): Promise<ChannelUse>
  census(network: NetworkId, sponsor: string): Promise<ChannelCensus>
  drain(network: NetworkId, sponsor: string): Promise<DrainOutcome>
  retire(network: NetworkId, sponsor: string, accounts: readonly string[]): Promise<void>
}

export const channelRepository = (db: Kysely<Database>): ChannelRepository => ({
  list: (network, sponsor) => list(db, network, sponsor),
  put: (entries) => put(db, entries),
  countUse: (network, sponsor) => countUse(db, network, sponsor),
  census: (network, sponsor) => census(db, network, sponsor),
  drain: (network, sponsor) => drain(db, network, sponsor),
  retire: (network, sponsor, accounts) => retire(db, network, sponsor, accounts),
})
