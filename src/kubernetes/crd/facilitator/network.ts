import { z } from 'zod'
import { usdcContracts } from '../../../platform/core/caip2.ts'
import { type CelRule, validations } from '../fields/cel.ts'
import {
  atMostMaxFee,
  atMostMaxXlm,
  contractAddress,
  labelName,
  listMap,
  setList,
} from '../fields/fields.ts'
import { networkFields } from './setting-fields.ts'
import { upto } from './upto.ts'

const baseUnits = () =>
  z
    .string()
    .max(39)
    .regex(/^(0|[1-9][0-9]{0,38})$/)

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

/** Of the contracts that are known; those of others, preflight compares with the ledger. */
const usdcDecimals: CelRule = {
  rule: `self.decimals == ${USDC_DECIMALS} || !(self.contract in ${JSON.stringify(Object.values(usdcContracts)).replaceAll('"', "'")})`,
  message: `decimals must be ${USDC_DECIMALS}: the contract is that of USDC`,
  reason: 'FieldValueInvalid',
  fieldPath: '.decimals',
}

const asset = z
  .object({
    contract: contractAddress().describe('Address (C...) of the token contract.'),
    symbol: z
      .string()
      .min(1)
      .max(12)
      .regex(/^[A-Za-z0-9]{1,12}$/)
      .describe('Symbol, such as USDC.'),
    decimals: z.int().min(0).max(18).describe('Decimals of the token; 7 for classic assets.'),
    minAmount: baseUnits().optional().describe('Smallest amount of one payment, in base units.'),
    maxAmount: baseUnits().optional().describe('Largest amount of one payment, in base units.'),
  })
  .meta(validations(amountsInOrder, someAmount, usdcDecimals))

const wholeSeconds = (field: string): CelRule => ({
  rule: `duration(self.${field}) >= duration('1s') && duration(self.${field}) <= duration('1h') && !self.${field}.endsWith('ms')`,
  message: `${field} must be whole seconds or minutes, from 1s to 1h`,
  reason: 'FieldValueInvalid',
  fieldPath: `.${field}`,
})

const timeouts = z.object(networkFields('timeouts')).meta(
  validations(
    wholeSeconds('min'),
    wholeSeconds('max'),
    {
      rule: 'duration(self.min) <= duration(self.max)',
      message: 'min must not be above max',
      reason: 'FieldValueInvalid',
      fieldPath: '.min',
    },
    {
      // Two ledgers: one closes between the buyer's signature and the settlement, and the next one has to include it.
      rule: "duration(self.max) >= duration('10s')",
      message:
        'max must be at least 10s: a payment that is valid for less expires before it is settled',
      reason: 'FieldValueInvalid',
      fieldPath: '.max',
    },
  ),
)

const inclusion = z.object(networkFields('fees.inclusion'))

const fees = z
  .object({
    ...networkFields('fees'),
    inclusion: inclusion.prefault({}).describe('What settlements bid for inclusion in a ledger.'),
  })
  .meta(
    validations(
      {
        rule: 'int(self.inclusion.floorStroops) <= int(self.inclusion.capStroops)',
        message: 'inclusion.floorStroops must not be above inclusion.capStroops',
        reason: 'FieldValueInvalid',
        fieldPath: '.inclusion.floorStroops',
      },
      {
        rule: 'int(self.inclusion.capStroops) <= int(self.maxTxFeeStroops)',
        message: 'inclusion.capStroops must not be above maxTxFeeStroops',
        reason: 'FieldValueInvalid',
        fieldPath: '.inclusion.capStroops',
      },
      {
        rule: 'int(self.inclusion.floorStroops) * 2 < int(self.maxTxFeeStroops)',
        message:
          'maxTxFeeStroops must be above twice inclusion.floorStroops: a settlement bids that for two operations, and pays for resources besides',
        reason: 'FieldValueInvalid',
        fieldPath: '.maxTxFeeStroops',
      },
      atMostMaxFee('maxTxFeeStroops'),
    ),
  )

const sponsor = z.object(networkFields('sponsor')).meta(
  validations(atMostMaxXlm('reserveXlm'), atMostMaxXlm('spendXlmPerHour'), {
    rule: '!has(self.spendXlmPerHour) || double(self.spendXlmPerHour) >= 1.0',
    message: 'spendXlmPerHour must be at least 1; leave it out for no limit',
    reason: 'FieldValueInvalid',
    fieldPath: '.spendXlmPerHour',
  }),
)

const payers = z.object(networkFields('payers'))

const watchedContract = z.object({
  alias: z
    .string()
    .min(1)
    .max(32)
    .regex(/^[A-Za-z0-9._-]+$/)
    .describe('Its name in GET /health.'),
  contract: contractAddress().describe('Address (C...) of the contract.'),
})

const watchedAssets = z
  .array(
    z
      .string()
      .min(3)
      .max(56)
      .regex(/^(All|C[A-Z2-7]{55})$/)
      .describe('Address (C...) of a token contract, or All.'),
  )
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
