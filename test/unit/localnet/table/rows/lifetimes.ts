import { Operation, xdr } from '@stellar/stellar-sdk'
import { accountKey, contractBalanceKey } from '../../../../support/ledger-view.ts'
import { passphrase } from '../../harness.ts'
import { addressOf, alice, vault, XLM } from '../accounts.ts'
import { calls, transfer, withFootprint } from '../calls.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'

const balance = xdr.LedgerKey.fromXdr(contractBalanceKey(vault, XLM.contractId(passphrase)))
const account = xdr.LedgerKey.fromXdr(accountKey(addressOf(alice)))
/** The vault has a balance, which lives for 518,400 ledgers. */
const live = { given: calls(transfer({ to: vault })) }
const expired = { ...live, archived: [balance] }

type Declared = Parameters<typeof withFootprint>[1]
const extend = (extendTo: number, declared: Declared = { reads: [balance] }) =>
  withFootprint(Operation.extendFootprintTtl({ extendTo }), declared)
const restore = (declared: Declared = { writes: [balance] }) =>
  withFootprint(Operation.restoreFootprint({}), declared)

const rentTooHigh =
  'refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}'

/** stellar-core, ExtendFootprintTTLOpFrame and RestoreFootprintOpFrame. */
export const lifetimeRows = rows({
  'ExtendFootprintTTLOpFrame::doCheckValid': [
    rejected('Malformed', 'the footprint writes', extend(10, { writes: [balance] }), live),
    rejected('Malformed', 'the footprint has an account', extend(10, { reads: [account] })),
    rejected('Malformed', 'it exceeds the maximum', extend(3_110_400), live),
  ],
  'ExtendFootprintTTLOpFrame::doApply': [
    succeeds('it is the maximum', extend(3_110_399), {
      ...live,
      changes: 'vault XLM lives = 3110399 ledgers',
    }),
    succeeds('the entry lives longer', extend(1_000), live),
    succeeds('the entry has expired', extend(1_000_000), expired),
    fails(
      'InsufficientRefundableFee',
      'nothing is left for rent',
      extend(1_000_000, { reads: [balance], spare: 0n }),
      {
        ...live,
        says: rentTooHigh,
      },
    ),
  ],
  'RestoreFootprintOpFrame::doCheckValid': [
    rejected('Malformed', 'the footprint reads', restore({ reads: [balance] }), live),
    rejected('Malformed', 'the footprint has an account', restore({ writes: [account] })),
  ],
  'RestoreFootprintOpFrame::doApply': [
    succeeds('the entry has expired', restore(), {
      ...expired,
      changes: 'vault XLM lives = 120959 ledgers',
    }),
    succeeds('the entry is live', restore(), live),
    fails(
      'ResourceLimitExceeded',
      'the entry is larger than declared',
      restore({ writes: [balance], diskReadBytes: 10 }),
      {
        ...expired,
        says: 'operation byte-read resources exceeds amount specified',
      },
    ),
    fails(
      'InsufficientRefundableFee',
      'nothing is left for rent',
      restore({ writes: [balance], spare: 0n }),
      {
        ...expired,
        says: rentTooHigh,
      },
    ),
  ],
  // With the read from disk.
  'TransactionFrame::computeSorobanResourceFee': [
    rejected(
      'txSorobanInvalid',
      'a restoration declares a stroop too little',
      restore({ writes: [balance], spare: -1n }),
      expired,
    ),
  ],
})
