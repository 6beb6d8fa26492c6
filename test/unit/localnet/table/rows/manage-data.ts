import { dave, erin, poor, UNIT } from '../accounts.ts'
import { data, mediumThreshold2, sponsored } from '../operations.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const longest = 'x'.repeat(64)
const set = data('note', 'hello')
const change = data('note', 'bye')
const remove = data('note', null)
const setSponsored = sponsored(erin, poor, data('note', 'hello', poor))

/** stellar-core, ManageDataOpFrame. */
export const manageDataRows = rows({
  'ManageDataOpFrame::doCheckValid': [
    rejected('InvalidName', 'the name is empty', raw.manageData('', 'x')),
  ],
  isString32Valid: rejected('InvalidName', 'the name has a line break', data('a\nb', 'x')),
  'ManageDataOpFrame::doApply': [
    succeeds('the name is new', set, 'alice data note = hello, alice subentries +1'),
    succeeds('the name exists', change, { given: set, changes: 'alice data note = bye' }),
    succeeds('an entry is removed', remove, {
      given: set,
      changes: 'alice data note removed, alice subentries -1',
    }),
    fails('NameNotFound', 'a missing entry would be removed', remove),
  ],
  DataEntry: [
    succeeds('name and value have 64 bytes', data(longest, longest), {
      changes: `alice data ${longest} = ${longest}, alice subentries +1`,
    }),
    fails('NameNotFound', 'the entry is of another account', from(dave, remove), {
      given: set,
    }),
  ],
  canCreateEntryWithoutSponsorship: [
    fails('LowReserve', 'the reserve is short', from(poor, set)),
    fails('opTooManySubentries', 'the account has 1,000 subentries', from(dave, set), {
      ledger: { dave: { subEntries: 1_000, balance: 10_000n * UNIT } },
    }),
  ],
  'CAP-33': [
    succeeds('a sponsor holds the reserve of the entry of a poor account', setSponsored, {
      changes:
        'poor data note = hello (sponsor erin), poor subentries +1, poor sponsored +1, erin sponsoring +1',
    }),
    succeeds('a sponsored entry changes, and stays sponsored', from(poor, change), {
      given: setSponsored,
      changes: 'poor data note = bye (sponsor erin)',
    }),
    succeeds('a sponsored entry is removed', from(poor, remove), {
      given: setSponsored,
      changes: 'poor data note removed, poor subentries -1, poor sponsored -1, erin sponsoring -1',
    }),
  ],
  'OperationFrame::getThresholdLevel': [
    rejected('opBadAuth', 'the medium threshold is not met', set, { given: mediumThreshold2 }),
  ],
})
