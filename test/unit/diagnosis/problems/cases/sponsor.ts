import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import {
  SignerError,
  type SignerProblem,
} from '../../../../../src/stellar/accounts/envelope-signer.ts'
import { account, type Changes, ledger, stored, XLM } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const has = (balance: bigint, locked = 0n, promised = 0n): Changes => ({
  derived: {
    sponsor: {
      address: 'GSPONSOR',
      floor: asStroops(25n * XLM),
      balance: {
        kind: 'known',
        stroops: asStroops(balance),
        locked: asStroops(locked),
        promised: asStroops(promised),
      },
    },
  },
})
const unknown = (forMs: number): Changes => ({
  derived: {
    sponsor: {
      address: 'GSPONSOR',
      floor: asStroops(25n * XLM),
      balance: { kind: 'unknown', forMs },
    },
  },
})
const key = (masterWeight: number, low: number, medium: number): Changes => ({
  ledger: ledger({ signing: { masterWeight, low, medium, high: medium } }),
})

const signerFails = (problem: SignerProblem, message: string): Changes => ({
  derived: { signer: { state: 'fails', error: new SignerError(problem, message) } },
})

export const sponsorCases: readonly ProblemCase[] = [
  {
    finds: 'signer-key-differs',
    when: 'it signs with the key of another account',
    given: signerFails('no_key', 'The signer has the key of GX, not of GY.'),
    says: /the signer has the key of GX, not of GY: settlements are refused.*see that SPONSOR_SIGNER names the key of SPONSOR_ADDRESS/,
  },
  ...(['unreachable', 'denied', 'invalid'] as const).map(
    (problem): ProblemCase => ({
      finds: 'signer-unreachable',
      when: `a signature fails as ${problem}`,
      given: signerFails(problem, 'The signer did not answer within 3000 ms.'),
      says: /the signer did not answer within 3000 ms: settlements are refused/,
    }),
  ),
  {
    finds: 'signer-unreachable',
    when: 'no signer has answered yet',
    given: { derived: { signer: { state: 'unknown' } } },
    says: /the signer has not answered yet/,
  },
  {
    finds: { nothingIn: 'signer' },
    when: 'the signer works',
    given: { derived: { signer: { state: 'works' } } },
    says: /answers with the key of the sponsor/,
    health: [],
  },
  {
    finds: 'sponsor-missing',
    when: 'the ledger has no account of it',
    given: { ledger: ledger({ sponsor: undefined }) },
    says: /^problem: sponsor GSPONSOR does not exist on the ledger -> send XLM to GSPONSOR$/,
  },
  {
    finds: 'sponsor-unknown',
    when: 'the balance is unknown for over a minute',
    given: unknown(60_001),
    says: /^the sponsor's balance is unknown for 60 s: settlements are refused; /,
  },
  {
    finds: 'sponsor-unknown',
    when: 'the balance is unknown for a minute',
    given: unknown(60_000),
    health: [],
  },
  {
    finds: 'sponsor-key-cannot-pay',
    when: 'its key has no weight',
    given: key(0, 0, 0),
    says: /^problem: its key has weight 0, paying fees needs 1/,
  },
  {
    finds: 'sponsor-key-cannot-pay',
    when: 'the weight of its key is below the threshold of fees',
    given: key(1, 2, 2),
    says: /^problem: its key has weight 1, paying fees needs 2/,
  },
  {
    finds: 'sponsor-key-cannot-create',
    when: 'its key cannot create channels',
    given: key(1, 1, 2),
    says: /^warning: its key has weight 1: enough for fees/,
  },
  { finds: { nothingIn: 'sponsor-balance' }, when: 'it is at the floor', given: has(25n * XLM) },
  {
    finds: { nothingIn: 'sponsor-balance' },
    when: 'the rest is locked or promised',
    given: has(35n * XLM, 9n * XLM, XLM),
    says: /^ok: 35 XLM, of which 25 XLM can be spent \(1 XLM are promised to settlements under way\)$/,
  },
  { finds: 'sponsor-below-floor', when: 'it is a stroop below', given: has(25n * XLM - 1n) },
  {
    finds: 'sponsor-below-floor',
    when: 'reserves lock a stroop too many',
    given: has(34n * XLM, 9n * XLM + 1n),
  },
  {
    finds: 'sponsor-below-floor',
    when: 'settlements under way may cost a stroop too many',
    given: has(26n * XLM, 0n, XLM + 1n),
  },
  {
    finds: 'sponsor-below-floor',
    when: 'an XLM is missing',
    given: has(30n * XLM, 5n * XLM, XLM),
    says: /^problem: the sponsor can spend 24 XLM of its 30 XLM, less than the required 25 XLM of MIN_SPONSOR_BALANCE_XLM \(reserves lock 5 XLM, settlements under way may cost 1 XLM\) -> send 1 XLM to GSPONSOR$/,
  },
  {
    finds: 'sponsor-below-reserve',
    when: 'all of the balance is locked',
    given: {
      ledger: ledger({ sponsor: account({ balance: 30n * XLM, sponsoring: 58, sponsored: 0 }) }),
    },
    health: ['sponsor_below_floor'],
    says: /^problem: the sponsor can spend 0 XLM of its 30 XLM, less than the required 5 XLM of SPONSOR_RESERVE_XLM: settlements are refused \(reserves lock 30 XLM/,
  },
  {
    finds: 'sponsor-below-reserve',
    when: 'settlements under way may cost the rest',
    given: {
      ledger: ledger({ sponsor: account({ balance: 30n * XLM, sponsoring: 0 }) }),
      promisedFees: asStroops(26n * XLM),
    },
    health: ['sponsor_below_floor'],
    says: /settlements are refused \(.*settlements under way may cost 26 XLM\) -> send/,
  },
  {
    finds: { nothingIn: 'sponsor-runway' },
    when: 'its balance lasts for years',
    given: { stored: stored({ committed: 1n }) },
    says: /^ok: 0.0000001 XLM in the last hour: more than a year until it is used up$/,
  },
  {
    finds: 'sponsor-ends-soon',
    when: 'the last hour leaves less than two days',
    given: { stored: stored({ committed: 10n * XLM }) },
    says: /^warning: 10 XLM in the last hour: 9.2 hours until it is used up/,
  },
  {
    finds: 'sponsor-ends-today',
    when: 'it leaves only hours',
    given: { stored: stored({ committed: 50n * XLM }) },
    says: /^problem: 50 XLM in the last hour: 1.8 hours/,
  },
  {
    finds: 'hourly-budget-spent',
    when: 'the hourly budget is spent',
    given: { stored: stored({ committed: 2n * XLM }), hourlyBudget: 2n * XLM },
    says: /^problem: 2 XLM in the last hour of the 2 XLM allowed/,
  },
]
