import type { StoredOutcome } from '../../src/catalog/store/outcomes.ts'
import { writeOutcome } from '../../src/catalog/store/outcomes.ts'
import type { Db } from '../../src/platform/database/schema.ts'

/** What a catalog process does with a declaration, without reading it: takes it from the outbox and stores an outcome. */
export async function recordDeclarations(db: Db, outcome: StoredOutcome): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const rows = await transaction
      .deleteFrom('catalog_outbox')
      .returning(['settlement_id', 'network', 'payer', 'nonce', 'pay_to', 'transaction'])
      .execute()
    for (const { settlement_id, network, payer, nonce, pay_to, transaction: hash } of rows) {
      await writeOutcome(transaction, 'test', {
        settlementId: settlement_id,
        key: { network, payer, nonce },
        payTo: pay_to,
        transaction: hash,
        ...outcome,
      })
    }
    return rows.length
  })
}
