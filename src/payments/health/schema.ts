import { z } from 'zod'
import { severities, warningCodes } from '../../diagnosis/problems/names.ts'
import { networkIds } from '../../platform/core/caip2.ts'

/*
 * The answer to `GET /health`, as sent. `null` is a number that is unknown: not read yet, or not
 * readable at present. Stroops are decimal strings, times ISO 8601 in UTC.
 */

const count = z.int().min(0)
const stroops = z.string().regex(/^\d+$/)

export const healthStates = ['starting', 'healthy', 'degraded'] as const
export type HealthState = (typeof healthStates)[number]

export const warningSchema = z.strictObject({
  code: z.enum(warningCodes),
  severity: z.enum(severities),
  message: z.string().min(1),
  network: z.string().optional(),
  /** Alias of the watched contract. */
  contract: z.string().optional(),
})
export type HealthWarning = z.output<typeof warningSchema>

const rpcSchema = z.strictObject({
  ok: z.boolean(),
  latestLedger: count.nullable(),
  ledgerAgeSeconds: count.nullable(),
  transportErrors1h: count,
})

const sponsorSchema = z.strictObject({
  address: z.string(),
  balanceStroops: stroops.nullable(),
  committed1hStroops: stroops.nullable(),
  wasted1hStroops: stroops,
})

const channelsSchema = z.strictObject({
  total: count,
  inUse: count.nullable(),
  leaseWaitP95Ms: z.number().min(0).nullable(),
  leaseTimeouts1h: count,
})

const settlementsSchema = z.strictObject({
  last1h: z
    .strictObject({ succeeded: count, failed: count, expired: count, pending: count })
    .nullable(),
  unfinished: count.nullable(),
  unresolvable: count,
  repeats1h: count,
})

/** Ledgers; negative once archived, null when the contract does not exist. */
const ttl = z.int().nullable()

const contractSchema = z.strictObject({
  id: z.string(),
  instanceTtlLedgers: ttl,
  /** Absent for a contract without code of its own, such as a Stellar Asset Contract. */
  codeTtlLedgers: z.int().optional(),
})

const uptoSchema = z.strictObject({
  contract: z.string(),
  authority: z.strictObject({
    address: z.string(),
    present: z.boolean().nullable(),
    balanceStroops: stroops.nullable(),
    spendableStroops: stroops.nullable(),
    tokens: z
      .array(z.strictObject({ symbol: z.string(), contract: z.string(), balance: z.string() }))
      .nullable(),
  }),
  keeper: z.strictObject({
    enabled: z.boolean(),
    autoRestore: z.boolean(),
    checkedAt: z.iso.datetime().nullable(),
    plan: z.string().nullable(),
    lastAction: z
      .strictObject({ action: z.string(), transaction: z.string(), at: z.iso.datetime() })
      .nullable(),
    error: z.string().nullable(),
  }),
})

const networkHealthSchema = z.strictObject({
  rpc: rpcSchema,
  sponsor: sponsorSchema,
  channels: channelsSchema,
  settlements: settlementsSchema,
  sequenceConflicts1h: count,
  /** By alias. */
  contracts: z.record(z.string(), contractSchema),
  /** On networks that serve the `upto` scheme. */
  upto: uptoSchema.optional(),
})
export type NetworkHealth = z.output<typeof networkHealthSchema>

const catalogSchema = z.strictObject({
  listings: z.strictObject({ pending: count, published: count, quarantined: count }).nullable(),
  /** Published ones that are in no list and no search. */
  leftOut: z.strictObject({ hidden: count, unpaid: count, full: count }).nullable(),
  outboxPending: count.nullable(),
  /** By phase, then by status. */
  outcomes1h: z.record(z.string(), z.record(z.string(), count)),
})

export type CatalogHealth = z.output<typeof catalogSchema>

const searchSchema = z.strictObject({
  indexRevision: z.int().nullable(),
  indexAgeSeconds: count.nullable(),
  lastBuild: z.enum(['ok', 'degraded', 'failed']).nullable(),
  embeddingFailures1h: count,
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
})
export type SearchHealth = z.output<typeof searchSchema>

export const healthSchema = z.strictObject({
  status: z.literal('ok'),
  version: z.string(),
  state: z.enum(healthStates),
  /** When the last poll ended. */
  checkedAt: z.iso.datetime().nullable(),
  warnings: z.array(warningSchema),
  networks: z.partialRecord(z.enum(networkIds), networkHealthSchema),
  catalog: catalogSchema.optional(),
  search: searchSchema.optional(),
})
export type HealthSnapshot = z.output<typeof healthSchema>
