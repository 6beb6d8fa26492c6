import type { Keypair } from '@stellar/stellar-sdk'
import { alice, bob, carol, dave, erin, issuer, REG, regulator, USD } from '../accounts.ts'
import { flags, maintainOnly, mediumThreshold2, sponsored, trust } from '../operations.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

type Flags = Parameters<typeof flags>[1]
const authorized: Flags = { authorized: true }
const onlyAuthorized: Flags = { authorized: true, authorizedToMaintainLiabilities: false }
const nothing: Flags = { authorized: false, authorizedToMaintainLiabilities: false }

const sets = (trustor: Keypair, set: Flags) => from(regulator, flags(trustor, set))
const setsUsd = (trustor: Keypair, set: Flags) => from(issuer, flags(trustor, set, USD))
const setsRaw = (...args: Parameters<typeof raw.setTrustLineFlags>) =>
  from(regulator, raw.setTrustLineFlags(...args))
const ofXlm = raw.setTrustLineFlags(bob, { set: 1, asset: raw.native })

/** stellar-core, SetTrustLineFlagsOpFrame and TrustFlagsOpFrameBase. */
export const setTrustLineFlagsRows = rows({
  'SetTrustLineFlagsOpFrame::doCheckValid': [
    rejected('Malformed', 'the source is not the issuer', flags(bob, authorized)),
    rejected('Malformed', 'the issuer is the trustor', sets(regulator, authorized)),
    rejected('Malformed', 'the asset is XLM', ofXlm),
    rejected('Malformed', 'a flag is set and cleared', setsRaw(bob, { set: 1, clear: 1 })),
  ],
  trustLineFlagIsValid: [
    rejected('Malformed', 'both kinds of authorization are set', setsRaw(bob, { set: 3 })),
  ],
  trustLineFlagMaskCheckIsValid: [
    rejected('Malformed', 'an unknown flag is cleared', setsRaw(bob, { clear: 8 })),
  ],
  'CAP-35': [
    succeeds('the issuer authorizes', sets(bob, authorized), {
      changes: 'bob REG flags +1',
      events: 'REG: symbol set_authorized, address bob, string REG:regulator, bool true',
    }),
    succeeds('the issuer revokes authorization', sets(alice, nothing), 'alice REG flags -1'),
    succeeds('the issuer gives up clawback', sets(alice, { clawbackEnabled: false }), {
      changes: 'alice REG flags -4',
      events: '',
    }),
    rejected('Malformed', 'the issuer enables clawback of a line', setsRaw(alice, { set: 4 })),
  ],
  'CAP-18': succeeds('the holder may only keep offers from now on', sets(alice, maintainOnly), {
    changes: 'alice REG flags +1',
    events: 'REG: symbol set_authorized, address alice, string REG:regulator, bool false',
  }),
  trustLineFlagAuthIsValid: [
    fails('InvalidState', 'a line that may keep offers is authorized too', sets(carol, authorized)),
    succeeds('authorized replaces keeping offers', sets(carol, onlyAuthorized), {
      changes: 'carol REG flags -1',
    }),
  ],
  'SetTrustLineFlagsOpFrame::isAuthRevocationValid': [
    fails('CantRevoke', 'the issuer cannot revoke', setsUsd(alice, nothing)),
    fails('CantRevoke', 'it cannot revoke, and leaves the offers', setsUsd(alice, maintainOnly)),
    succeeds('it cannot revoke, and authorizes', setsUsd(alice, onlyAuthorized)),
  ],
  'TrustFlagsOpFrameBase::doApply': [
    fails('CantRevoke', 'it cannot revoke, and the line is missing', setsUsd(dave, nothing)),
    fails('NoTrustLine', 'the line is missing', sets(dave, authorized)),
  ],
  'SetTrustLineFlagsOpFrame::getThresholdLevel': [
    succeeds('the low threshold is met, the medium one is not', sets(bob, authorized), {
      given: from(regulator, mediumThreshold2),
      changes: 'bob REG flags +1',
    }),
  ],
  'CAP-33': [
    succeeds('a sponsored line is authorized, and stays sponsored', sets(dave, authorized), {
      given: sponsored(erin, dave, trust(REG, '1000', dave)),
      changes: 'dave REG flags +1',
    }),
  ],
})
