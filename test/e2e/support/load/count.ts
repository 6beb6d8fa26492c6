/** Compares what the facilitator answered with what the ledger has. */
import { expect } from 'vitest'
import type { LedgerTransfer } from './ledger.ts'
import { type FacilitatorRequest, isRefused, type PaymentRecord } from './records.ts'

/** A row of the table in docs/reliability.md. */
export interface LoadRow {
  readonly fear: string
  /** What was done under load. */
  readonly done: string
  /** Payments that buyers signed. Each is valid, so exactly one transfer of it is expected. */
  readonly payments: number
  /** Of the seller to `/verify` and `/settle`, repeats included. */
  readonly requests: number
  /** Requests whose connection failed, or whose answer was no success. */
  readonly failed: number
  /** Payments with a transfer on the ledger. */
  readonly found: number
  /** Payments without a transfer, or without a final answer at the end of the repeats. */
  readonly lost: number
  /** Transfers of the payers beyond one for each payment. */
  readonly doubled: number
  /** Answers that contradict the ledger. */
  readonly untrue: number
  /** The longest wait for an answer. */
  readonly longestMs: number
  /** Each failed request: when, after the begin of the load, and why. */
  readonly failures: readonly string[]
  /** Each payment that was lost, doubled, or answered untruly. */
  readonly problems: readonly string[]
}

type Counts = Omit<LoadRow, 'fear' | 'done'>

const ALREADY_USED = 'invalid_exact_stellar_payload_nonce_already_used'

/** @param transfers all transfers of the payers */
export function countPayments(
  records: readonly PaymentRecord[],
  transfers: readonly LedgerTransfer[],
): Counts {
  const made = new Map<string, LedgerTransfer[]>()
  for (const transfer of transfers) {
    const key = keyOf(transfer.from, transfer.amount)
    made.set(key, [...(made.get(key) ?? []), transfer])
  }
  const signed = records.filter(({ isSigned }) => isSigned)
  const counted = signed.map((record) => {
    const found = made.get(keyOf(record.payer, record.amount)) ?? []
    made.delete(keyOf(record.payer, record.amount))
    return { record, found, untrue: record.requests.filter((one) => isUntrue(one, found)) }
  })
  const lost = counted.filter(({ record, found }) => found.length === 0 || !record.isFinal)
  const unexpected = [...made.values()].flat()
  const requests = signed.flatMap((record) => record.requests)
  const first = Math.min(...signed.map(({ begunAt }) => begunAt))
  const failed = counted.flatMap(({ record, found }) =>
    record.requests.filter((request) => isFailed(request, found)),
  )
  const ofEach = (each: (one: (typeof counted)[number]) => number) =>
    counted.reduce((sum, one) => sum + each(one), 0)
  return {
    payments: signed.length,
    requests: requests.length,
    failed: failed.length,
    found: counted.filter(({ found }) => found.length > 0).length,
    lost: lost.length,
    doubled: ofEach(({ found }) => Math.max(0, found.length - 1)) + unexpected.length,
    untrue: ofEach(({ untrue }) => untrue.length),
    longestMs: Math.round(Math.max(0, ...requests.map(({ ms }) => ms))),
    failures: failed.map((request) => failureText(request, first)),
    problems: [
      ...counted
        .filter((one) => lost.includes(one) || one.found.length > 1 || one.untrue.length > 0)
        .map(({ record, found }) => JSON.stringify({ ...record, found })),
      ...unexpected.map((transfer) => `no buyer signed ${JSON.stringify(transfer)}`),
    ],
  }
}

const keyOf = (payer: string, amount: string): string => `${payer} ${amount}`

/** A payment that is made already is refused truly: that is the answer to a repeat. */
const isUsed = ({ path, reason }: FacilitatorRequest): boolean =>
  path === '/verify' && reason === ALREADY_USED

function isFailed(request: FacilitatorRequest, found: readonly LedgerTransfer[]): boolean {
  if (request.status === 200 && isUsed(request) && found.length > 0) return false
  return request.status !== 200 || !request.isSuccess
}

function isUntrue(request: FacilitatorRequest, found: readonly LedgerTransfer[]): boolean {
  if (request.status !== 200) return false
  if (isUsed(request)) return found.length === 0
  if (request.path === '/verify') return false
  if (request.isSuccess) return !found.some(({ hash }) => hash === request.transaction)
  return isRefused(request) && found.length > 0
}

const failureText = ({ path, begunAt, ms, status, reason }: FacilitatorRequest, first: number) =>
  `${path} begun at ${seconds(begunAt - first)}, after ${seconds(ms)}: ${status ?? 'no answer'}, ${reason}`

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

export function expectNothingLost(row: LoadRow): void {
  const { payments, found, lost, doubled, untrue, problems } = row
  expect({ found, lost, doubled, untrue, problems }).toEqual({
    found: payments,
    lost: 0,
    doubled: 0,
    untrue: 0,
    problems: [],
  })
  expect(payments).toBeGreaterThan(0)
}

export function expectNoFailedRequest({ failed, failures }: LoadRow): void {
  expect({ failed, failures }).toEqual({ failed: 0, failures: [] })
}
