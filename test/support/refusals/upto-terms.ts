/** Refusals of `upto` for its terms: what the requirements and `accepted` say. */
import { muxed } from '../payments.ts'
import { P, R } from './refusal.ts'
import { after, OTHER_CONTRACT, other, U, type UptoRefusal } from './upto-refusal.ts'

export const uptoTermsRefusals: readonly UptoRefusal[] = [
  {
    code: 'unsupported_scheme',
    when: 'for another profile',
    plan: { extra: { profile: 'contract' } },
    message: 'extra.profile of scheme upto is "contract", expected authority-v1',
    isAnonymous: true,
  },
  {
    code: 'unsupported_scheme',
    when: 'when the client accepted another scheme',
    plan: { accepted: { scheme: 'exact' } },
    message: 'paymentPayload.accepted names scheme exact, paymentRequirements name upto',
    isAnonymous: true,
  },
  {
    code: 'invalid_payload',
    when: 'for a payload without a transaction',
    plan: after(({ body }) => {
      body.paymentPayload.payload['transaction'] = 7
    }),
    message: 'payload.transaction is of type number, expected a base64 TransactionEnvelope',
    isAnonymous: true,
  },
  {
    code: `${R}asset_not_accepted`,
    when: 'for another token',
    plan: { terms: { asset: OTHER_CONTRACT } },
    message: /^asset is "C.*", accepted here: USDC/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for an account of the facilitator as recipient',
    plan: ({ channel }) => ({ payTo: channel }),
    message: /is one of the facilitator's own accounts$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for the authority as recipient',
    plan: ({ authority }) => ({ payTo: authority }),
    message: /is one of the facilitator's own accounts$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for a muxed recipient',
    plan: ({ seller }) => ({ payTo: seller.address, terms: { payTo: muxed(seller.address) } }),
    message: /^payTo is M.*: the scheme upto cannot pay a muxed address$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for the settlement contract as recipient',
    plan: ({ contract }) => ({ payTo: contract }),
    message: /^payTo C.* is the settlement contract$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_amount`,
    when: 'for a ceiling of zero',
    plan: { accepted: { amount: '0' } },
    message: /^accepted.amount is "0", expected a positive whole number/,
    isAnonymous: true,
  },
  ...['-1', '007', '1.5', '', ' 1', '170141183460469231731687303715884105728'].map(
    (amount): UptoRefusal => ({
      code: `${R}invalid_amount`,
      when: `for the amount ${JSON.stringify(amount)}`,
      plan: { terms: { amount }, accepted: { amount: '100000' } },
      message: `amount is ${JSON.stringify(amount)}, expected zero or a positive whole number of base units of at most 128 bits`,
      isAnonymous: true,
    }),
  ),
  {
    code: `${R}invalid_amount`,
    when: 'for an amount of zero at verify',
    phase: 'verify',
    plan: { terms: { amount: '0' }, accepted: { amount: '100000' } },
    message: /^amount is "0", expected a positive whole number/,
    isAnonymous: true,
  },
  {
    code: `${R}amount_out_of_range`,
    when: 'for a ceiling below the minimum of the asset',
    plan: { ceiling: 9n },
    message: 'amount is 9, expected at least 10 base units of USDC',
    isAnonymous: true,
  },
  {
    code: `${R}timeout_out_of_range`,
    when: 'for a timeout above the range',
    plan: { maxTimeoutSeconds: 301 },
    message: 'maxTimeoutSeconds is 301, expected a whole number from 10 to 300',
    isAnonymous: true,
  },
  {
    code: `${R}fees_not_sponsored`,
    when: 'without sponsored fees',
    plan: { extra: { areFeesSponsored: false } },
    message: 'extra.areFeesSponsored is false, expected true',
    isAnonymous: true,
  },
  {
    code: `${U}wrong_contract`,
    when: 'when the requirements name another contract',
    plan: { extra: { uptoContract: OTHER_CONTRACT } },
    message: /^extra.uptoContract is "CA3D.*", expected C/,
    isAnonymous: true,
  },
  {
    code: `${U}wrong_contract`,
    when: 'when the requirements name no contract',
    plan: { extra: { uptoContract: undefined } },
    message: /^extra.uptoContract is missing, expected C/,
    isAnonymous: true,
  },
  {
    code: `${P}unauthorized_invocation`,
    when: 'when the requirements name the authority of another facilitator',
    plan: { extra: { authority: other.address } },
    message: /^extra.authority is "G.*", which this service cannot settle for; it is G/,
    isAnonymous: true,
  },
  ...[
    ['profile', undefined],
    ['uptoContract', OTHER_CONTRACT],
    ['authority', other.address],
  ].map(
    ([name, value]): UptoRefusal => ({
      code: `${P}accepted_mismatch`,
      when: `when the client accepted another ${name}`,
      plan: after(({ body }) => {
        const { accepted } = body.paymentPayload
        accepted['extra'] = { ...Object(accepted['extra']), [String(name)]: value }
      }),
      message: new RegExp(`^accepted.extra.${name} is .*, the requirements say`),
      isAnonymous: true,
    }),
  ),
  {
    code: `${P}accepted_mismatch`,
    when: 'for an amount below the ceiling at verify',
    phase: 'verify',
    plan: { amount: 99_999n },
    message: 'accepted.amount is "100000", the requirements say "99999"',
    isAnonymous: true,
  },
]
