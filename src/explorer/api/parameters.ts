import { z } from 'zod'
import { schemeNames } from '../../payments/protocol/schemes.ts'
import { networkIds } from '../../platform/core/caip2.ts'
import type { Parameters } from '../../platform/http/server/query.ts'
import { facilitatorIdSchema } from '../facilitator-id.ts'
import { confidences, windows } from '../store/tables.ts'

const either = (values: readonly string[]): string => values.join(' or ')

const network = {
  schema: z.enum(networkIds),
  rule: `a CAIP-2 network id, ${either(networkIds)}`,
} as const

const window = {
  schema: z.enum(windows),
  rule: `a trailing window, ${either(windows)}; all time without it`,
} as const

const contract = z.string().regex(/^C[A-Z2-7]{55}$/)
const address = z.string().regex(/^[GC][A-Z2-7]{55}$/)

const asset = { schema: contract, rule: 'the C... address of the contract of an asset' } as const
const seller = { schema: address, rule: 'a G... or C... address that is paid' } as const
const facilitator = {
  schema: facilitatorIdSchema,
  rule: 'the id of a facilitator of the registry, 1 to 300 visible characters',
} as const

const limit = {
  schema: z.int().min(1).max(100),
  reads: 'integer',
  rule: 'a whole number from 1 to 100, the items of a page; 25 without it',
} as const

export const feedParameters = {
  network,
  asset,
  scheme: { schema: z.enum(schemeNames), rule: `a scheme, ${either(schemeNames)}` },
  seller,
  buyer: { schema: address, rule: 'a G... or C... address that pays' },
  facilitator,
  confidence: { schema: z.enum(confidences), rule: `a confidence, ${either(confidences)}` },
  limit,
  cursor: {
    schema: z.string().min(1).max(512),
    rule: 'the nextCursor of the page before; give the same filters with it',
  },
} as const satisfies Parameters

export const sellersParameters = {
  network,
  window,
  registered: {
    schema: z.enum(['true', 'false']).transform((text) => text === 'true'),
    rule: 'true for sellers in a catalog or false for the others',
  },
  limit,
  offset: {
    schema: z.int().min(0),
    reads: 'integer',
    rule: 'a whole number from 0 on, the items before the page; 0 without it',
  },
} as const satisfies Parameters

export const statsParameters = { network, window } as const satisfies Parameters

export const networkParameters = { network } as const satisfies Parameters

export const timeseriesParameters = {
  bucket: { schema: z.enum(['day', 'hour']), rule: 'day or hour; day without it' },
  days: {
    schema: z.int().min(1).max(90),
    reads: 'integer',
    rule: 'a whole number from 1 to 90, with days as buckets; 30 without it',
  },
  hours: {
    schema: z.int().min(1).max(168),
    reads: 'integer',
    rule: 'a whole number from 1 to 168, with hours as buckets; 48 without it',
  },
  network,
  asset,
  seller,
  facilitator,
} as const satisfies Parameters

export const noParameters = {} as const satisfies Parameters

export const sellerPath = { payTo: seller } as const satisfies Parameters
export const assetPath = { contract: asset } as const satisfies Parameters
export const facilitatorPath = { id: facilitator } as const satisfies Parameters
export const paymentPath = {
  hash: {
    schema: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .transform((text) => text.toLowerCase()),
    rule: 'the hash of a transaction, 64 hex digits; of the fee bump if there is one',
  },
} as const satisfies Parameters
