import { writeOutcome } from '../../src/catalog/store/outcomes.ts'
import type { OutcomeStatus } from '../../src/catalog/store/tables.ts'
import type { NetworkId } from '../../src/platform/core/caip2.ts'
import type { Db } from '../../src/platform/database/schema.ts'

interface RecordedPayment {
  readonly network?: NetworkId
  readonly transaction: string
  readonly payTo: string
  readonly listingId: string
  /** @default 'success' */
  readonly status?: OutcomeStatus
}

let settlements = 0n

/** Records, as a catalog process does, that a settled payment declared a listing. */
export const putOutcome = (db: Db, payment: RecordedPayment): Promise<boolean> => {
  const { network = 'stellar:testnet', transaction, payTo, listingId, status = 'success' } = payment
  settlements += 1n
  return writeOutcome(db, 'test', {
    settlementId: settlements,
    key: { network, payer: `payer ${settlements}`, nonce: String(settlements) },
    ...{ payTo, transaction, listingId, status },
    code: status === 'rejected' ? 'bazaar_owner_conflict' : 'recorded',
    // The URL that was paid, which is the payer's text.
    resource: 'https://payer.example/text',
    version: 1,
    dropped: [],
  })
}
