import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** A payment that was made. */
export interface RecentPayment {
  readonly scheme: string
  readonly payer: string
  readonly payTo: string
  readonly envelopeXdr: string
}

/** No index leads from an asset to its settlements: of these newest rows alone it is found. */
const ROWS_SEARCHED = 1_000
const MAX_PAYMENTS = 20

/** The last payments in an asset (`C...`) that were made, the latest first; none where they are further back than the newest rows. */
export async function recentPayments(
  db: Db,
  network: NetworkId,
  asset: string,
): Promise<readonly RecentPayment[]> {
  const { rows } = await sql<{
    scheme: string
    payer: string
    pay_to: string
    envelope_xdr: string
  }>`
    select scheme, payer, pay_to, envelope_xdr
    from (select * from settlements order by id desc limit ${ROWS_SEARCHED}) as newest
    where network = ${network} and asset = ${asset} and state = 'succeeded'
    order by id desc limit ${MAX_PAYMENTS}`.execute(db)
  return rows.map(({ scheme, payer, pay_to: payTo, envelope_xdr: envelopeXdr }) => ({
    scheme,
    payer,
    payTo,
    envelopeXdr,
  }))
}
