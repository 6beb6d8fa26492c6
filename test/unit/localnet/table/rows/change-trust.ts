import { LiquidityPoolAsset, Operation } from '@stellar/stellar-sdk'
import {
  bob,
  dave,
  erin,
  issuer,
  ORPHAN,
  poor,
  REG,
  regulator,
  UNIT,
  USD,
  XLM,
} from '../accounts.ts'
import { merge, options, pay, sponsored, trust } from '../operations.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const openUsd = from(dave, trust(USD))
const shortCode = raw.longAsset('AB', issuer)
const poolShare = new LiquidityPoolAsset(XLM, USD, 30)
const opened = 'dave USD line +1, dave USD limit +1000, dave subentries +1'
const closed = 'alice USD line -1, alice USD limit -1000, alice USD flags -1, alice subentries -1'
const sponsoredLine = sponsored(erin, poor, trust(USD, '1000', poor))

/** stellar-core, ChangeTrustOpFrame. */
export const changeTrustRows = rows({
  'ChangeTrustOpFrame::doCheckValid': [
    rejected('Malformed', 'the asset is XLM', trust(XLM)),
    rejected('Malformed', 'the issuer trusts itself', from(regulator, trust(REG))),
    rejected('Malformed', 'the limit is negative', raw.changeTrust(USD.toXdrObject(), -1n)),
    rejected('opNotSupported', 'the line is of pool shares, which the localnet leaves out', [
      Operation.changeTrust({ asset: poolShare }),
    ]),
  ],
  isAssetValid: [
    rejected('Malformed', 'a 12-byte code has two characters', raw.changeTrust(shortCode, 5n)),
  ],
  'ChangeTrustOpFrame::doApply': [
    succeeds('a line opens: authorized, as the issuer requires nothing', openUsd, {
      changes: `${opened}, dave USD flags +1`,
    }),
    succeeds('a limit rises', trust(USD, '2000'), 'alice USD limit +1000'),
    succeeds('a limit falls to the balance', trust(USD, '100'), 'alice USD limit -900'),
    succeeds('an empty line closes', trust(USD, '0'), {
      given: pay(issuer, '100', USD),
      changes: closed,
    }),
    succeeds('an empty line closes, and the issuer has merged', trust(USD, '0'), {
      given: [pay(issuer, '100', USD), merge(dave, issuer)],
      changes: closed,
    }),
    fails('InvalidLimit', 'a limit is below the balance', trust(USD, '99.9999999')),
    fails('InvalidLimit', 'a line with a balance would close', trust(USD, '0')),
    fails('InvalidLimit', 'a missing line would close', from(dave, trust(USD, '0'))),
    fails('InvalidLimit', 'line and issuer are missing at close', trust(ORPHAN, '0')),
    fails('NoIssuer', 'a line would open and its issuer is missing', trust(ORPHAN)),
    fails('NoIssuer', 'a limit changes and the issuer has merged', trust(USD, '2000'), {
      given: from(issuer, merge(dave)),
    }),
    fails('NoIssuer', 'the issuer is missing and the reserve is short', from(poor, trust(ORPHAN))),
  ],
  'CAP-35': [
    succeeds('the issuer requires authorization and claws back', from(dave, trust(REG)), {
      changes: 'dave REG line +1, dave REG limit +1000, dave REG flags +4, dave subentries +1',
    }),
    succeeds('the issuer enabled clawback before the line opens', openUsd, {
      given: from(issuer, options({ setFlags: 2 }), options({ setFlags: 8 })),
      changes: `${opened}, dave USD flags +5`,
    }),
  ],
  canCreateEntryWithoutSponsorship: [
    fails('LowReserve', 'the reserve is short', from(poor, trust(USD))),
    fails('opTooManySubentries', 'the account has 1,000 subentries', openUsd, {
      ledger: { dave: { subEntries: 1_000 } },
    }),
  ],
  canCreateEntryWithSponsorship: fails(
    'ok opTooManySubentries ok',
    'the account has 1,000 subentries, and a sponsor',
    sponsored(erin, dave, trust(USD, '1000', dave)),
    { ledger: { dave: { subEntries: 1_000, balance: 10_000n * UNIT } } },
  ),
  'CAP-33': [
    succeeds('a sponsor holds the reserve of the line of a poor account', sponsoredLine, {
      changes:
        'poor USD line +1, poor USD limit +1000, poor USD flags +1, poor USD sponsor = erin, poor subentries +1, poor sponsored +1, erin sponsoring +1',
    }),
    succeeds('a sponsored line closes', from(poor, trust(USD, '0')), {
      given: sponsoredLine,
      changes:
        'poor USD line -1, poor USD limit -1000, poor USD flags -1, poor USD sponsor removed, poor subentries -1, poor sponsored -1, erin sponsoring -1',
    }),
  ],
  'TransactionFrame::applyOperations': succeeds(
    'a later operation pays into the line and out of it',
    [trust(USD, '1000', dave), pay(dave, '7', USD), pay(bob, '7', USD, dave)],
    `${opened}, dave USD flags +1, alice USD -7, bob USD +7`,
  ),
})
