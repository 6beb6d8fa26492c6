/**
 * Schemas of Stellar RPC's answers, which turn them into the types of `rpc.ts`. Times come as numbers
 * or as decimal text, depending on method and version.
 */

import { z } from 'zod'
import { asStroops } from '../../platform/core/amounts/stroops.ts'
import { archivedEntriesOf, restoredEntriesOf } from '../contracts/archived-entries.ts'
import { readTransactionResult } from '../transactions/result-codes.ts'
import { readDiagnosticEvent } from '../values/read-sc-value.ts'
import { outputSizes } from './output-sizes.ts'
import type {
  AppliedTransaction,
  FeeStats,
  LedgerEntries,
  LedgerRange,
  SendOutcome,
  Simulation,
  TransactionStatus,
} from './rpc.ts'

const count = z.coerce.number().int()
const stroops = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => asStroops(BigInt(text)))
const events = z.array(z.string()).nullish()

const readEvents = (encoded: readonly string[] | null | undefined) =>
  (encoded ?? []).map(readDiagnosticEvent)

export const latestLedgerAnswer = z.object({
  sequence: count,
  protocolVersion: count,
  /** Older endpoints leave it out. */
  closeTime: count.optional(),
})

export const simulationAnswer = z
  .object({
    latestLedger: count,
    error: z.string().optional(),
    events,
    minResourceFee: stroops.optional(),
    transactionData: z.string().optional(),
    restorePreamble: z.looseObject({ transactionData: z.string().optional() }).nullish(),
    results: z.array(z.object({ xdr: z.string().optional() })).nullish(),
    stateChanges: z.array(z.object({ key: z.string(), after: z.string().nullish() })).nullish(),
  })
  .transform((answer, context): Simulation => {
    const { latestLedger, error, minResourceFee, transactionData } = answer
    const common = { latestLedger, events: readEvents(answer.events) }
    if (error) return { kind: 'failed', error, ...common }
    if (minResourceFee === undefined || !transactionData) {
      context.addIssue('neither an error nor transaction data')
      return z.NEVER
    }
    const { restorePreamble } = answer
    const archived = restorePreamble?.transactionData
      ? restoredEntriesOf(restorePreamble.transactionData)
      : archivedEntriesOf(transactionData)
    const needsRestore = Boolean(restorePreamble) || archived !== undefined
    const returnValueXdr = answer.results?.[0]?.xdr
    return {
      kind: 'ok',
      minResourceFee,
      transactionData,
      needsRestore,
      ...(archived && { archived }),
      ...(returnValueXdr !== undefined && { returnValueXdr }),
      ...common,
      output: outputSizes({ ...answer, returnValueXdr }, common.events),
    }
  })

export const sendAnswer = z
  .object({
    status: z.enum(['PENDING', 'DUPLICATE', 'TRY_AGAIN_LATER', 'ERROR']),
    hash: z.string(),
    latestLedger: count,
    latestLedgerCloseTime: count,
    errorResultXdr: z.string().optional(),
    diagnosticEventsXdr: events,
  })
  .transform((answer): SendOutcome => {
    const codes = answer.errorResultXdr ? readTransactionResult(answer.errorResultXdr) : undefined
    return {
      status: answer.status,
      hash: answer.hash,
      latestLedger: answer.latestLedger,
      latestCloseTime: answer.latestLedgerCloseTime,
      events: readEvents(answer.diagnosticEventsXdr),
      ...(codes && { feeCharged: codes.feeCharged }),
      ...(codes?.resultCode && { resultCode: codes.resultCode }),
      ...(codes?.operationCode && { operationCode: codes.operationCode }),
    }
  })

const ledgerRange = {
  latestLedger: count,
  latestLedgerCloseTime: count,
  oldestLedger: count,
  oldestLedgerCloseTime: count,
}

export const toRange = (answer: z.output<z.ZodObject<typeof ledgerRange>>): LedgerRange => ({
  latestLedger: answer.latestLedger,
  latestCloseTime: answer.latestLedgerCloseTime,
  oldestLedger: answer.oldestLedger,
  oldestCloseTime: answer.oldestLedgerCloseTime,
})

const appliedFields = {
  status: z.enum(['SUCCESS', 'FAILED']),
  ledger: count,
  createdAt: count,
  resultXdr: z.string(),
  diagnosticEventsXdr: events,
}

/** Decodes what an endpoint says of a transaction that it found. */
export const readApplied = (
  found: z.output<z.ZodObject<typeof appliedFields>>,
  range: LedgerRange,
): AppliedTransaction => ({
  ...range,
  status: found.status,
  ledger: found.ledger,
  createdAt: found.createdAt,
  ...readTransactionResult(found.resultXdr),
  events: found.status === 'FAILED' ? readEvents(found.diagnosticEventsXdr) : [],
})

export const transactionAnswer: z.ZodType<TransactionStatus> = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('NOT_FOUND'), ...ledgerRange }),
    z.object({ ...ledgerRange, ...appliedFields }),
  ])
  .transform((answer): TransactionStatus => {
    const range = toRange(answer)
    return answer.status === 'NOT_FOUND'
      ? { status: answer.status, ...range }
      : readApplied(answer, range)
  })

/** One page of `getTransactions`; results stay undecoded, since few of them are ours. */
export const transactionsAnswer = z
  .object({
    transactions: z.array(z.object({ ...appliedFields, txHash: z.string() })).nullish(),
    latestLedger: count,
    latestLedgerCloseTimestamp: count,
    oldestLedger: count,
    oldestLedgerCloseTimestamp: count,
    cursor: z.string(),
  })
  .transform(({ transactions, cursor, ...range }) => ({
    transactions: transactions ?? [],
    cursor,
    range: toRange({
      ...range,
      latestLedgerCloseTime: range.latestLedgerCloseTimestamp,
      oldestLedgerCloseTime: range.oldestLedgerCloseTimestamp,
    }),
  }))

export const networkAnswer = z
  .object({ passphrase: z.string() })
  .transform(({ passphrase }) => passphrase)

export const ledgerEntriesAnswer = z
  .object({
    latestLedger: count,
    entries: z
      .array(z.object({ key: z.string(), xdr: z.string(), liveUntilLedgerSeq: count.optional() }))
      .nullish(),
  })
  .transform(
    ({ latestLedger, entries }): LedgerEntries => ({
      latestLedger,
      entries: (entries ?? []).map(({ key, xdr: data, liveUntilLedgerSeq: liveUntil }) => ({
        key,
        xdr: data,
        // Zero or absent for entries that do not expire.
        ...(liveUntil && { liveUntilLedger: liveUntil }),
      })),
    }),
  )

export const feeStatsAnswer = z
  .object({
    latestLedger: count,
    sorobanInclusionFee: z.object({
      min: stroops,
      max: stroops,
      mode: stroops,
      p50: stroops,
      p60: stroops,
      p70: stroops,
      p80: stroops,
      p90: stroops,
      p95: stroops,
      p99: stroops,
    }),
  })
  .transform((answer): FeeStats => answer)
