import { Operation, xdr } from '@stellar/stellar-sdk'
import { accountKey } from '../../../../support/ledger-view.ts'
import { addressOf, alice, vault } from '../accounts.ts'
import { vaultBalance as balance, calls, transfer, withFootprint } from '../calls.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'

const account = xdr.LedgerKey.fromXdr(accountKey(addressOf(alice)))
/** The vault has a balance, which lives for 518,400 ledgers. */
const live = { given: calls(transfer({ to: vault })) }
const expired = { ...live, archived: [balance] }

type Declared = Parameters<typeof withFootprint>[1]
const extend = (extendTo: number, declared?: Declared) =>
  withFootprint(Operation.extendFootprintTtl({ extendTo }), { reads: [balance], ...declared })
const restore = (declared?: Declared) =>
  withFootprint(Operation.restoreFootprint({}), { writes: [balance], ...declared })
const nothingToSpare = { spare: 0n }
const rentTooHigh =
  'refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}'
const readsTooMuch = 'operation byte-read resources exceeds amount specified'

/** stellar-core, ExtendFootprintTTLOpFrame and RestoreFootprintOpFrame. */
export const lifetimeRows = rows({
  'ExtendFootprintTTLOpFrame::doCheckValid': [
    rejected('Malformed', 'it writes', extend(10, { reads: [], writes: [balance] }), live),
    rejected('Malformed', 'it extends an account', extend(10, { reads: [account] })),
    rejected('Malformed', 'it exceeds the maximum', extend(3_110_400), live),
  ],
  'ExtendFootprintTTLOpFrame::doApply': [
    succeeds('it is the maximum', extend(3_110_399), {
      ...live,
      changes: 'vault XLM lives = 3110399 ledgers',
      meta: 'State ttl, Updated ttl',
    }),
    succeeds('the entry lives longer', extend(1_000), live),
    succeeds('the entry has expired', extend(1_000_000), expired),
    fails(
      'InsufficientRefundableFee',
      'nothing is left for rent',
      extend(600_000, nothingToSpare),
      {
        ...live,
        says: rentTooHigh,
      },
    ),
  ],
  'RestoreFootprintOpFrame::doCheckValid': [
    rejected('Malformed', 'it reads', restore({ reads: [balance], writes: [] }), live),
    rejected('Malformed', 'it restores an account', restore({ writes: [account] })),
  ],
  'RestoreFootprintOpFrame::doApply': [
    succeeds('the entry has expired', restore(), {
      ...expired,
      changes: 'vault XLM lives = 120959 ledgers',
      meta: 'Restored contractData, Restored ttl',
    }),
    succeeds('the entry is live', restore(), live),
    fails('ResourceLimitExceeded', 'the entry has more bytes', restore({ diskReadBytes: 10 }), {
      ...expired,
      says: readsTooMuch,
    }),
    fails('InsufficientRefundableFee', 'nothing is left for rent', restore(nothingToSpare), {
      ...expired,
      says: rentTooHigh,
    }),
  ],
  // With the read from disk.
  'TransactionFrame::computeSorobanResourceFee': [
    rejected(
      'txSorobanInvalid',
      'a stroop of its cost is missing',
      restore({ spare: -1n }),
      expired,
    ),
  ],
})
