import { alice, bob, carol, dave, issuer, REG, regulator, USD } from '../accounts.ts'
import { clawback, mediumThreshold2, options } from '../operations.ts'
import { raw } from '../raw-operations.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from } from '../transaction.ts'

const clawsBack = (...args: Parameters<typeof clawback>) => from(regulator, clawback(...args))
const clawsBackUsd = (amount: string) => from(issuer, clawback(alice, amount, USD))
const ofNothing = raw.clawback(alice, REG.toXdrObject(), 0n)

/** stellar-core, ClawbackOpFrame. */
export const clawbackRows = rows({
  'ClawbackOpFrame::doCheckValid': [
    rejected('Malformed', 'the source is not the issuer', from(bob, clawback(alice, '1'))),
    rejected('Malformed', 'the issuer claws back from itself', clawsBack(regulator, '1')),
    rejected('Malformed', 'the amount is zero', from(regulator, ofNothing)),
    rejected('Malformed', 'the asset is XLM', raw.clawback(bob, raw.native, 5n)),
  ],
  'CAP-35': [
    succeeds('a part is clawed back, and burned', clawsBack(alice, '20'), {
      changes: 'alice REG -20',
      events: 'REG: symbol clawback, address alice, string REG:regulator, i128 200000000',
    }),
    fails('NotClawbackEnabled', 'the line opened without clawback', clawsBackUsd('1'), {
      given: from(issuer, options({ setFlags: 2 }), options({ setFlags: 8 })),
    }),
  ],
  'ClawbackOpFrame addBalanceSkipAuthorization': [
    succeeds('the holder is not authorized', clawsBack(carol, '5'), 'carol REG -5'),
  ],
  'ClawbackOpFrame::doApply': [
    succeeds('the issuer cleared its flag, and the line has it', clawsBack(alice, '1'), {
      given: from(regulator, options({ clearFlags: 8 })),
      changes: 'alice REG -1',
    }),
    fails('Underfunded', 'the balance is less', clawsBack(alice, '50.0000001')),
    fails('NoTrust', 'the holder has no line', clawsBack(dave, '1')),
    fails('NotClawbackEnabled', 'clawback is off and the balance less', clawsBackUsd('900')),
  ],
  'ClawbackOpFrame::getThresholdLevel': [
    rejected('opBadAuth', 'the medium threshold is not met', clawsBack(alice, '1'), {
      given: from(regulator, mediumThreshold2),
    }),
  ],
})
