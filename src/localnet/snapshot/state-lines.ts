/** The lines of a state file, and the values parsed from them. */
import { z } from 'zod'
import type { AppliedTransaction, ClosedLedger } from '../closing/history.ts'
import type { EntryKey, EntryRecord } from '../ledger/entry-record.ts'
import { BASE_FEE } from '../transactions/fees/fees.ts'

export const STATE_FORMAT = 'svc localnet ledger'
/** Incremented with each change that older versions could not read. */
export const STATE_VERSION = 1

const bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
const whole = z.int().min(0)
const stroops = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text))

export const Head = z.object({
  format: z.literal(STATE_FORMAT),
  version: whole,
  entries: whole,
  ledgers: whole.min(1),
  passphrase: z.string(),
  protocol: whole,
  limits: z.enum(['testnet', 'none']),
  state: z.object({
    sequence: whole,
    closeTime: whole,
    hash: bytes,
    feePool: stroops,
    stateHash: bytes,
  }),
})
export type Head = z.infer<typeof Head>

export const EntryLine = z
  .object({
    key: bytes,
    entry: bytes,
    liveUntil: whole.optional(),
    liveUntilSetAt: whole.optional(),
    evicted: z.literal(true).optional(),
  })
  .transform(({ key, entry, ...rest }): readonly [EntryKey, EntryRecord] => [
    Buffer.from(key).toString('latin1'),
    { entry, ...withoutUndefined(rest) },
  ])

/** An empty list: ledgers that older versions wrote have no changes of fees, and no base fees. */
const NO_CHANGES = new Uint8Array(4)

const Transaction = z
  .object({
    hash: z.string(),
    innerHash: z.string().optional(),
    feeBump: z.boolean(),
    ledger: whole,
    closeTime: whole,
    applicationOrder: whole,
    successful: z.boolean(),
    envelopeXdr: bytes,
    resultXdr: bytes,
    resultMetaXdr: bytes,
    feeChangesXdr: bytes.default(NO_CHANGES),
    refundChangesXdr: bytes.default(NO_CHANGES),
    cluster: z.tuple([whole, whole]).optional(),
    contractEvents: z.array(z.array(bytes)),
    transactionEvents: z.array(bytes),
    diagnosticEvents: z.array(bytes),
  })
  .transform(
    ({ innerHash, cluster, ...rest }): AppliedTransaction => ({
      ...rest,
      ...withoutUndefined({ innerHash, cluster }),
    }),
  )

export const LedgerLine = z
  .object({
    sequence: whole,
    closeTime: whole,
    hash: z.string(),
    headerXdr: bytes,
    transactions: z.array(Transaction),
    fees: z.object({ classic: z.array(stroops), soroban: z.array(stroops) }),
    baseFees: z
      .object({ classic: stroops, soroban: stroops })
      .default({ classic: BASE_FEE, soroban: BASE_FEE }),
    evictedKeys: z.array(bytes),
  })
  .transform((ledger): ClosedLedger => ledger)

type WithoutUndefined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Without undefined members (`exactOptionalPropertyTypes`). */
function withoutUndefined<T extends object>(members: T): WithoutUndefined<T> {
  const kept: WithoutUndefined<T> = {}
  for (const name in members) {
    const value = members[name]
    if (value !== undefined) Object.assign(kept, { [name]: value })
  }
  return kept
}

/** For JSON: bytes as base64, stroops as decimal strings. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toPlain(part)]))
}
