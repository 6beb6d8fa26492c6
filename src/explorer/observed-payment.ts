export type { PaymentRow as ObservedPayment } from './store/ingest/write-ledgers.ts'

/** Why a transaction that looks at a transfer is no payment, or could not be read. Counted, never stored. */
const skipReasons = [
  'failed',
  'not_one_call',
  'other_function',
  'wrong_arguments',
  'not_authorized_by_sender',
  'sent_by_its_sender',
  'unwatched_asset',
  'no_matching_transfer',
  'several_transfers',
  'no_matching_settlement',
  'amount_out_of_range',
  'unreadable',
] as const
export type SkipReason = (typeof skipReasons)[number]
