import { z } from 'zod'
import { usdcContracts } from '../../../platform/core/caip2.ts'
import { type CelRule, validations } from '../fields/cel.ts'
import { durationForm } from '../fields/duration.ts'
import {
  atMostMaxFee,
  atMostMaxXlm,
  contractAddress,
  contractOr,
  isDecimal,
  isStroops,
  labelName,
  listMap,
  setList,
} from '../fields/fields.ts'
import { formedText, hasForm } from '../fields/text-form.ts'
import { networkFields } from './setting-fields.ts'
import { upto } from './upto.ts'

const baseUnits = () =>
  formedText(39, {
    expression: '^(0|[1-9][0-9]*)$',
    message: 'must be whole base units, in digits without decimals and without a leading zero',
  })

/** Amounts are text without leading zeros: the longer one is larger, else text order decides. */
const amountsInOrder: CelRule = {
  rule: [
    '!has(self.minAmount) || !has(self.maxAmount)',
    'self.minAmount.size() < self.maxAmount.size()',
    '(self.minAmount.size() == self.maxAmount.size() && self.minAmount <= self.maxAmount)',
  ].join(' || '),
  message: 'minAmount must not be above maxAmount',
  reason: 'FieldValueInvalid',
  fieldPath: '.minAmount',
}

const someAmount: CelRule = {
  rule: "!has(self.maxAmount) || self.maxAmount != '0'",
  message: 'maxAmount must be at least 1: with 0 no payment is accepted; leave it out for no limit',
  reason: 'FieldValueInvalid',
  fieldPath: '.maxAmount',
}

const USDC_DECIMALS = 7

/** The decimals of the contracts that are known; those of others, preflight compares with the ledger. */
const usdcDecimals: CelRule = {
  rule: `self.decimals == ${USDC_DECIMALS} || !(self.contract in ${JSON.stringify(Object.values(usdcContracts)).replaceAll('"', "'")})`,
  message: `decimals must be ${USDC_DECIMALS}: the contract is that of USDC`,
  reason: 'FieldValueInvalid',
  fieldPath: '.decimals',
}

const asset = z
  .object({
    contract: contractAddress().describe('Address (C...) of the token contract.'),
    symbol: formedText(12, {
      expression: '^[A-Za-z0-9]+$',
      message: 'must be letters and digits, such as USDC',
    }).describe('Symbol, such as USDC.'),
    decimals: z.int().min(0).max(18).describe('Decimals of the token; 7 for classic assets.'),
    minAmount: baseUnits().optional().describe('Smallest amount of one payment, in base units.'),
    maxAmount: baseUnits().optional().describe('Largest amount of one payment, in base units.'),
  })
  .meta(validations(amountsInOrder, someAmount, usdcDecimals))

const wholeSeconds = (field: string): CelRule => ({
  rule: `!${hasForm(`self.${field}`, durationForm)} || duration(self.${field}) >= duration('1s') && duration(self.${field}) <= duration('1h') && !self.${field}.endsWith('ms')`,
  message: `${field} must be whole seconds or minutes, from 1s to 1h`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})

const timeouts = z.object(networkFields('timeouts')).meta(
  validations(
    wholeSeconds('min'),
    wholeSeconds('max'),
    {
      rule: `!${hasForm('self.min', durationForm)} || !${hasForm('self.max', durationForm)} || duration(self.min) <= duration(self.max)`,
      message: 'min (10s when left out) must not be above max (900s when left out)',
      reason: 'FieldValueInvalid',
      fieldPath: '.min',
    },
    {
      // Two ledgers: one closes between the buyer's signature and the settlement, and the next one has to include it.
      rule: `!${hasForm('self.max', durationForm)} || duration(self.max) >= duration('10s')`,
      message:
        'max must be at least 10s: a payment that is valid for less expires before it is settled',
      reason: 'FieldValueInvalid',
      fieldPath: '.max',
    },
  ),
)

const inclusion = z.object(networkFields('fees.inclusion'))

const inOrder = (low: string, high: string): string =>
  `!${isStroops(low)} || !${isStroops(high)} || int(${low}) <= int(${high})`

const fees = z
  .object({
    ...networkFields('fees'),
    inclusion: inclusion.prefault({}).describe('What settlements bid for inclusion in a ledger.'),
  })
  .meta(
    validations(
      {
        rule: inOrder('self.inclusion.floorStroops', 'self.inclusion.capStroops'),
        message:
          'inclusion.floorStroops (100 when left out) must not be above inclusion.capStroops (10000 when left out)',
        reason: 'FieldValueInvalid',
        fieldPath: '.inclusion.floorStroops',
      },
      {
        rule: inOrder('self.inclusion.capStroops', 'self.maxTxFeeStroops'),
        message:
          'inclusion.capStroops (10000 when left out) must not be above maxTxFeeStroops (300000 when left out)',
        reason: 'FieldValueInvalid',
        fieldPath: '.inclusion.capStroops',
      },
      {
        rule: `!${isStroops('self.inclusion.floorStroops')} || !${isStroops('self.maxTxFeeStroops')} || int(self.inclusion.floorStroops) * 2 < int(self.maxTxFeeStroops)`,
        message:
          'maxTxFeeStroops (300000 when left out) must be above twice inclusion.floorStroops (100 when left out): a settlement bids that for two operations, and pays for resources besides',
        reason: 'FieldValueInvalid',
        fieldPath: '.maxTxFeeStroops',
      },
      atMostMaxFee('maxTxFeeStroops'),
    ),
  )

const sponsor = z.object(networkFields('sponsor')).meta(
  validations(
    atMostMaxXlm('reserveXlm'),
    atMostMaxXlm('spendXlmPerHour'),
    {
      rule: `!has(self.spendXlmPerHour) || !${isDecimal('self.spendXlmPerHour')} || double(self.spendXlmPerHour) >= 1.0`,
      message: 'spendXlmPerHour must be at least 1; leave it out for no limit',
      reason: 'FieldValueInvalid',
      fieldPath: '.spendXlmPerHour',
    },
    {
      rule: '!has(self.maxKeySharePercent) || has(self.spendXlmPerHour)',
      message: 'maxKeySharePercent is a part of spendXlmPerHour: set that too, or leave out both',
      reason: 'FieldValueInvalid',
      fieldPath: '.maxKeySharePercent',
    },
  ),
)

const payers = z.object(networkFields('payers'))

const watchedContract = z.object({
  alias: formedText(32, {
    expression: '^[A-Za-z0-9._-]+$',
    message: "must be letters, digits, '.', '_' and '-'",
  }).describe('Its name in GET /health.'),
  contract: contractAddress().describe('Address (C...) of the contract.'),
})

const watchedAssets = z
  .array(contractOr('All').describe('Address (C...) of a token contract, or All.'))
  .min(1)
  .max(64)
  .meta({
    ...setList,
    ...validations({
      rule: "!('All' in self) || self.size() == 1",
      message: 'leave out the contracts beside All',
      reason: 'FieldValueInvalid',
    }),
  })

/** Settings of payments on the network of one pool. */
export const facilitatorNetwork = z.object({
  channelPool: labelName().describe('Name of the ChannelPool, in the same namespace.'),
  access: z
    .enum(['ApiKeys', 'Everyone'])
    .optional()
    .describe(
      'Who may verify and settle: callers with an API key, or everyone. It must be set on stellar:pubnet, where a facilitator without keys spends real money for every caller; elsewhere absent means Everyone.',
    ),
  assets: z
    .array(asset.describe('One token.'))
    .min(1)
    .max(32)
    .meta(listMap('contract'))
    .optional()
    .describe("Tokens accepted in payment; the network's USDC when absent."),
  timeouts: timeouts
    .prefault({})
    .describe("Accepted range of maxTimeoutSeconds in the seller's price."),
  ...networkFields(''),
  payers: payers.prefault({}).describe('Rules that keep payers from wasting fees.'),
  fees: fees.prefault({}).describe('What a settlement may cost the sponsor.'),
  sponsor: sponsor
    .prefault({})
    .describe("Limits of what settlements may spend from the sponsor's balance."),
  upto: upto
    .optional()
    .describe('Serves the scheme upto: payments of what was used, up to a signed ceiling.'),
  watchedContracts: z
    .array(watchedContract.describe('One contract.'))
    .max(32)
    .meta(listMap('alias'))
    .optional()
    .describe('Contracts whose TTL GET /health reports, besides those of the assets.'),
  watchedAssets: watchedAssets
    .optional()
    .describe(
      'Contracts of the assets whose payments the explorer shows, or All; all on stellar:testnet, USDC and EURC on stellar:pubnet when absent.',
    ),
  otherUptoContracts: z
    .array(contractAddress().describe('Address (C...) of one settlement contract.'))
    .max(32)
    .meta(setList)
    .optional()
    .describe(
      'Settlement contracts of other facilitators; the explorer shows calls of them as payments too.',
    ),
})
