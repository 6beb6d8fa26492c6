import { sql } from 'kysely'
import {
  deleteHeartbeats,
  writeHeartbeats,
} from '../../../../../src/payments/store/replica-heartbeats.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { network } from '../../../../support/sponsors.ts'

/** The replica that `serveOnly` makes up. */
export const replicaOf = ({ address }: { readonly address: string }): string => `${address}/1`

/** A replica, which no process is, serves this sponsor from now on. Its heartbeat does not age while commands run. */
export async function serveOnly(
  { db }: Store,
  sponsor: { readonly address: string },
): Promise<void> {
  const replica = replicaOf(sponsor)
  await deleteHeartbeats(db, replica)
  await writeHeartbeats(db, replica, [{ network, sponsor: sponsor.address }])
  await sql`
    update replica_heartbeats set seen_at = seen_at + interval '1 hour'
    where replica = ${replica}`.execute(db)
}
