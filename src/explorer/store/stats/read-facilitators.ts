import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { FacilitatorSource } from '../tables.ts'

/** A facilitator as the registry knows it. */
export interface KnownFacilitator {
  readonly id: string
  readonly baseUrl: string | null
  readonly displayName: string | null
  readonly source: FacilitatorSource
  readonly verified: boolean
  readonly networks: readonly string[]
  readonly uptoContracts: readonly string[]
  readonly claimedSigners: readonly Signer[]
  readonly lastSeenAt: Date | null
  readonly lastError: string | null
  readonly createdAt: Date
}

interface Row extends Pick<KnownFacilitator, 'id' | 'source' | 'verified' | 'networks'> {
  readonly base_url: string | null
  readonly display_name: string | null
  readonly upto_contracts: readonly string[]
  readonly claimed_signers: readonly Signer[]
  readonly last_seen_at: Date | null
  readonly last_error: string | null
  readonly created_at: Date
}

/** All of the registry, or one. */
export async function readFacilitators(db: Db, id?: string): Promise<readonly KnownFacilitator[]> {
  const { rows } = await sql<Row>`
    select id, base_url, display_name, source, verified, networks, upto_contracts, claimed_signers,
      last_seen_at, last_error, created_at
    from explorer_facilitators ${id === undefined ? sql`` : sql`where id = ${id}`}
    order by id`.execute(db)
  return rows.map(
    ({
      base_url: baseUrl,
      display_name: displayName,
      upto_contracts: uptoContracts,
      claimed_signers: claimedSigners,
      last_seen_at: lastSeenAt,
      last_error: lastError,
      created_at: createdAt,
      ...same
    }) => ({
      ...same,
      ...{ baseUrl, displayName, uptoContracts, claimedSigners, lastSeenAt, lastError, createdAt },
    }),
  )
}

export interface Signer {
  readonly network: NetworkId
  readonly address: string
}

export async function readSigners(
  db: Db,
  facilitator: string,
  limit: number,
): Promise<readonly Signer[]> {
  const { rows } = await sql<Signer>`
    select network, address from explorer_signers where facilitator = ${facilitator}
    order by network, address limit ${limit}`.execute(db)
  return rows
}
