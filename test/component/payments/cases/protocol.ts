import { usdcContracts } from '../../../../src/core/caip2.ts'
import type { PaymentPlan } from '../../../support/payments.ts'
import type { Provocation, RefusalCase } from '../refusal-case.ts'
import type { World } from '../world.ts'

/** Asked before the transaction is opened, so that no payer is known. */
const unread =
  (plan: (world: World) => Partial<PaymentPlan>, message: Provocation['message']) =>
  async (world: World): Promise<Provocation> => ({ body: await world.pay(plan(world)), message })

const R = 'invalid_exact_stellar_requirements_'

export const protocolCases: readonly RefusalCase[] = [
  {
    code: 'invalid_x402_version',
    when: 'for a request of version 1',
    provoke: unread(
      () => ({
        afterwards: ({ body }) => {
          body.x402Version = 1
        },
      }),
      'x402Version is 1, expected 2',
    ),
  },
  {
    code: 'invalid_x402_version',
    when: 'for a payload of version 3',
    provoke: unread(
      () => ({
        afterwards: ({ body }) => {
          body.paymentPayload.x402Version = 3
        },
      }),
      'x402Version is 3, expected 2',
    ),
  },
  {
    code: 'unsupported_scheme',
    when: 'for another scheme',
    provoke: unread(() => ({ terms: { scheme: 'upto' } }), 'scheme is upto, expected exact'),
  },
  {
    code: 'unsupported_scheme',
    when: 'for another scheme in the accepted entry',
    provoke: unread(() => ({ accepted: { scheme: 'upto' } }), 'scheme is upto, expected exact'),
  },
  {
    code: 'invalid_network',
    when: 'for a network that is not served',
    provoke: unread(
      () => ({ terms: { network: 'stellar:pubnet' } }),
      'network stellar:pubnet is not served here; served: stellar:testnet',
    ),
  },
  {
    code: 'network_mismatch',
    when: 'for another network in the accepted entry',
    provoke: unread(
      () => ({ accepted: { network: 'stellar:pubnet' } }),
      'the accepted entry names network stellar:pubnet, the requirements name stellar:testnet',
    ),
  },
  {
    code: 'invalid_payload',
    when: 'for a transaction that is no text',
    provoke: unread(
      () => ({
        afterwards: ({ body }) => {
          body.paymentPayload.payload = { transaction: 7 }
        },
      }),
      'payload.transaction is of type number, expected a base64 TransactionEnvelope',
    ),
  },
  {
    code: 'invalid_payload',
    when: 'for a payload without a transaction',
    provoke: unread(
      () => ({
        afterwards: ({ body }) => {
          body.paymentPayload.payload = { transaction: undefined }
        },
      }),
      'payload.transaction is missing, expected a base64 TransactionEnvelope',
    ),
  },
]

const refusedTerm = (
  code: RefusalCase['code'],
  when: string,
  terms: Record<string, unknown>,
  message: Provocation['message'],
): RefusalCase => ({ code, when, provoke: unread(() => ({ terms }), message) })

const ownAccount = (when: string, payTo: (world: World) => string): RefusalCase => ({
  code: `${R}invalid_pay_to`,
  when,
  provoke: async (world) => ({
    body: await world.pay({ terms: { payTo: payTo(world) } }),
    message: `payTo ${payTo(world)} is one of the facilitator's own accounts`,
  }),
})

export const operatorPolicyCases: readonly RefusalCase[] = [
  refusedTerm(
    `${R}asset_not_accepted`,
    'for a contract that is not on the list',
    { asset: usdcContracts['stellar:pubnet'] },
    `asset is "${usdcContracts['stellar:pubnet']}", accepted here: USDC (${usdcContracts['stellar:testnet']})`,
  ),
  refusedTerm(
    `${R}invalid_pay_to`,
    'for text that is no address',
    { payTo: 'the seller' },
    'payTo is "the seller", expected a G, C or M address with a valid checksum',
  ),
  refusedTerm(
    `${R}invalid_pay_to`,
    'for no address at all',
    { payTo: null },
    'payTo is missing, expected a G, C or M address with a valid checksum',
  ),
  ownAccount('for the sponsor', ({ sponsor }) => sponsor),
  ownAccount('for a channel', ({ channel }) => channel),
  ...['0', '-5', '1.5', '007', '1e5', ' 1', (2n ** 127n).toString()].map((amount) =>
    refusedTerm(
      `${R}invalid_amount`,
      `for an amount of "${amount}"`,
      { amount },
      `amount is "${amount}", expected a positive whole number of base units of at most 128 bits`,
    ),
  ),
  refusedTerm(
    `${R}amount_out_of_range`,
    'below the smallest amount of the asset',
    { amount: '9' },
    'amount is 9, expected at least 10 base units of USDC',
  ),
  refusedTerm(
    `${R}amount_out_of_range`,
    'above the largest amount of the asset',
    { amount: '1000000001' },
    'amount is 1000000001, expected at most 1000000000 base units of USDC',
  ),
  ...[9, 301, 60.5].map((maxTimeoutSeconds) =>
    refusedTerm(
      `${R}timeout_out_of_range`,
      `for ${maxTimeoutSeconds} seconds`,
      { maxTimeoutSeconds },
      `maxTimeoutSeconds is ${maxTimeoutSeconds}, expected a whole number from 10 to 300`,
    ),
  ),
  refusedTerm(
    `${R}fees_not_sponsored`,
    'when the price does not say so',
    { extra: { areFeesSponsored: false } },
    'extra.areFeesSponsored is false, expected true',
  ),
  refusedTerm(
    `${R}fees_not_sponsored`,
    'when the price says nothing',
    { extra: null },
    'extra.areFeesSponsored is missing, expected true',
  ),
]
