import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { columns, type Row, type StoredPayment, toPayment } from '../feed/read-feed-rows.ts'

/** The payment of a transaction; the first of several. @param txHash hex */
export async function readPayment(db: Db, txHash: string): Promise<StoredPayment | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from explorer_payments where tx_hash = decode(${txHash}, 'hex')
    order by op_index limit 1`.execute(db)
  return rows.map(toPayment)[0]
}
