import { Keypair } from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { type PaymentBody, usdc } from '../payments.ts'
import { R, type RefusalRow, withoutPayer } from './refusal.ts'

const changed = (change: (body: PaymentBody) => void, message: string): RefusalRow['build'] =>
  withoutPayer({ afterwards: ({ body }) => change(body) }, message)

const sending = (transaction: unknown, message: string): RefusalRow['build'] =>
  changed((body) => {
    body.paymentPayload.payload = { transaction }
  }, message)

export const protocolRefusals: readonly RefusalRow[] = [
  {
    code: 'invalid_x402_version',
    when: 'for a request of version 1',
    build: changed((body) => {
      body.x402Version = 1
    }, 'x402Version is 1, expected 2'),
  },
  {
    code: 'invalid_x402_version',
    when: 'for a payload of version 3',
    build: changed((body) => {
      body.paymentPayload.x402Version = 3
    }, 'x402Version is 3, expected 2'),
  },
  {
    code: 'unsupported_scheme',
    when: 'for another scheme',
    build: withoutPayer({ terms: { scheme: 'upto' } }, 'scheme is upto, expected exact'),
  },
  {
    code: 'unsupported_scheme',
    when: 'for another scheme in the accepted entry',
    build: withoutPayer({ accepted: { scheme: 'upto' } }, 'scheme is upto, expected exact'),
  },
  {
    code: 'invalid_network',
    when: 'for a network that is not served',
    build: async ({ pay }) => ({
      body: await pay({ terms: { network: 'stellar:pubnet' } }),
      message: 'network is stellar:pubnet, expected stellar:testnet',
      messageOverHttp: 'network stellar:pubnet is not served here; served: stellar:testnet',
    }),
  },
  {
    code: 'network_mismatch',
    when: 'for another network in the accepted entry',
    build: withoutPayer(
      { accepted: { network: 'stellar:pubnet' } },
      'paymentPayload.accepted names network stellar:pubnet, paymentRequirements name stellar:testnet',
    ),
  },
  {
    code: 'invalid_payload',
    when: 'for a transaction that is no text',
    build: sending(
      7,
      'payload.transaction is of type number, expected a base64 TransactionEnvelope',
    ),
  },
  {
    code: 'invalid_payload',
    when: 'for a payload without a transaction',
    build: sending(
      undefined,
      'payload.transaction is missing, expected a base64 TransactionEnvelope',
    ),
  },
]

const shown = (value: unknown): string => JSON.stringify(value) ?? 'missing'

/** Values of one member of the requirements, alike in the accepted entry; `undefined` leaves it out. */
const termRefusals = (
  code: RefusalRow['code'],
  name: string,
  expected: string,
  values: readonly unknown[],
): RefusalRow[] =>
  values.map((value) => ({
    code,
    when: `for ${name} ${shown(value)}`,
    build: withoutPayer({ terms: { [name]: value } }, `${name} is ${shown(value)}, ${expected}`),
  }))

const ownAccount = (role: 'sponsor' | 'channel'): RefusalRow => ({
  code: `${R}invalid_pay_to`,
  when: `for the ${role} as payTo`,
  build: withoutPayer(
    (parties) => ({ terms: { payTo: parties[role] } }),
    (parties) => `payTo ${parties[role]} is one of the facilitator's own accounts`,
  ),
})

const outOfRange = (amount: string, expected: string): RefusalRow => ({
  code: `${R}amount_out_of_range`,
  when: `for an amount of ${amount}`,
  build: withoutPayer(
    { terms: { amount } },
    `amount is ${amount}, expected ${expected} base units of USDC`,
  ),
})

const stranger = Keypair.random()
const wrongChecksum = stranger.publicKey().replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))

export const policyRefusals: readonly RefusalRow[] = [
  ...termRefusals(`${R}asset_not_accepted`, 'asset', `accepted here: USDC (${usdc})`, [
    usdcContracts['stellar:pubnet'],
    undefined,
  ]),
  ...termRefusals(
    `${R}invalid_pay_to`,
    'payTo',
    'expected a G, C or M address with a valid checksum',
    [undefined, 'the seller', wrongChecksum, stranger.secret()],
  ),
  ownAccount('sponsor'),
  ownAccount('channel'),
  ...termRefusals(
    `${R}invalid_amount`,
    'amount',
    'expected a positive whole number of base units of at most 128 bits',
    [undefined, '', '0', '-5', '007', '1.5', '1e5', ' 1', '0x10', (2n ** 127n).toString()],
  ),
  outOfRange('9', 'at least 10'),
  outOfRange('1000000001', 'at most 1000000000'),
  ...termRefusals(
    `${R}timeout_out_of_range`,
    'maxTimeoutSeconds',
    'expected a whole number from 10 to 300',
    [undefined, 9, 301, 60.5],
  ),
  ...[undefined, null, {}, { areFeesSponsored: false }, { areFeesSponsored: 'true' }].map(
    (extra): RefusalRow => ({
      code: `${R}fees_not_sponsored`,
      when: `for extra ${shown(extra)}`,
      build: withoutPayer(
        { terms: { extra } },
        `extra.areFeesSponsored is ${shown(extra?.areFeesSponsored)}, expected true`,
      ),
    }),
  ),
]
