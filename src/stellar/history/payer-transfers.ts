/** Transfers of a token from a payer, and the authorizations that allowed them. Each ledger and each transaction is read once. */
import { Address } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { type LedgerRange, RpcError } from '../rpc/rpc.ts'
import type { CallRpc } from '../rpc/transport/json-rpc.ts'
import type { ScValue } from '../values/sc-value.ts'
import { amountOf, eventPages, receiverIdOf, symbolSegment, textOf } from './event-pages.ts'
import { scanEnvelope } from './scan/scan-envelope.ts'
import { usedNonces } from './used-nonces.ts'

/** Ledgers of one payer and token. */
export interface TransferWindow {
  /** Token contract, `C...`. */
  readonly asset: string
  /** `G...` or `C...` */
  readonly payer: string
  readonly afterLedger: number
  readonly lastLedger: number
}

export interface Move {
  /** Absent where the tokens were burnt. */
  readonly to?: string | undefined
  /** Of a muxed receiver. */
  readonly muxedId?: bigint | undefined
  readonly amount: bigint | undefined
}

/** All that left the payer in one transaction. */
export interface PayerTransfer {
  readonly transaction: string
  readonly ledger: number
  /** Base units; undefined where an event does not say it. */
  readonly amount: bigint | undefined
  /** One for each event. */
  readonly moves: readonly Move[]
  /** Asks for the transaction, the first time. Throws `RpcError`. */
  proof(): Promise<TransferProof>
}

/** Undefined when the transaction is not there, or cannot be read. */
type TransferProof =
  | {
      /** Nonces of the payer's authorizations that were used in it. */
      readonly used: ReadonlySet<bigint>
      /** When its ledger closed, in Unix milliseconds. */
      readonly closedAtMs: number
      /** Base64. */
      readonly envelopeXdr: string
    }
  | undefined

export interface PayerTransfers {
  readonly transfers: readonly PayerTransfer[]
  readonly oldestLedger: number
  /** Every retained ledger up to here was searched, as far as the window and the bound of pages go. */
  readonly latestLedger: number
  /** The last ledger of which all transfers are here, where pages were left. */
  readonly cutAfter?: number
}

/**
 * @param range what the endpoint had before the search. Throws `RpcError`
 * @param maxPages leaves the events after so many pages, but always has a whole ledger. @default all
 */
export async function payerTransfers(
  call: CallRpc,
  { afterLedger, lastLedger, ...of }: TransferWindow,
  { oldestLedger, ...range }: LedgerRange,
  signal?: AbortSignal,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<PayerTransfers> {
  const query = {
    filter: filterOf(of),
    afterLedger: Math.max(afterLedger, oldestLedger - 1),
    throughLedger: Math.min(range.latestLedger, lastLedger),
  }
  const found = new Map<string, Pick<PayerTransfer, 'ledger' | 'amount' | 'moves'>>()
  let { latestLedger } = range
  let cutAfter: number | undefined
  let pages = 0
  for await (const page of eventPages(call, query, signal)) {
    // Replicas behind one address may know different ledgers: the search is as new as its oldest answer.
    latestLedger = Math.min(latestLedger, page.latestLedger)
    pages += 1
    for (const { transaction, ledger, topics, value } of page.events) {
      if (textOf(topics[1]) !== of.payer) continue
      const before = found.get(transaction) ?? { amount: 0n, moves: [] }
      const amount = amountOrNone(value)
      const isKnown = before.amount !== undefined && amount !== undefined
      const isTransfer = textOf(topics[0]) === 'transfer'
      const to = isTransfer ? { to: textOf(topics[2]), muxedId: receiverIdOf(value) } : {}
      const move = { ...to, amount }
      found.set(transaction, {
        ledger,
        amount: isKnown ? before.amount + amount : undefined,
        moves: [...before.moves, move],
      })
    }
    const whole = (page.events.at(-1)?.ledger ?? 0) - 1
    if (pages >= maxPages && whole > query.afterLedger) {
      cutAfter = whole
      break
    }
  }
  const transfers = [...found].map(([transaction, each]) => ({
    ...each,
    transaction,
    proof: once(() => proofOf(call, { transaction, ledger: each.ledger }, of.payer, signal)),
  }))
  if (cutAfter === undefined) return { transfers, oldestLedger, latestLedger }
  const last = cutAfter
  const whole = transfers.filter(({ ledger }) => ledger <= last)
  return { transfers: whole, oldestLedger, latestLedger, cutAfter }
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * Matches transfers of the token from the payer: events of a classic asset have its name as last topic, others do not. A
 * transfer to the issuer of a classic asset is a burn.
 */
const filterOf = ({ asset, payer }: Pick<TransferWindow, 'asset' | 'payer'>) => {
  const from = Address.fromString(payer).toScVal().toXdr('base64')
  return {
    type: 'contract',
    contractIds: [asset],
    topics: [
      [symbolSegment('transfer'), from, '*', '*'],
      [symbolSegment('transfer'), from, '*'],
      [symbolSegment('burn'), from, '*'],
      [symbolSegment('burn'), from],
    ],
  }
}

function amountOrNone(value: ScValue): bigint | undefined {
  try {
    return amountOf(value)
  } catch {
    return undefined
  }
}

const transactionAnswer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('SUCCESS'),
    envelopeXdr: z.string().default(''),
    resultMetaXdr: z.string().default(''),
    /** Unix seconds. */
    createdAt: z.coerce.number().int(),
  }),
  z.object({ status: z.literal('FAILED') }),
  z.object({ status: z.literal('NOT_FOUND'), latestLedger: z.coerce.number().int() }),
])

async function proofOf(
  call: CallRpc,
  { transaction: hash, ledger }: Pick<PayerTransfer, 'transaction' | 'ledger'>,
  payer: string,
  signal: AbortSignal | undefined,
): Promise<TransferProof> {
  const answer = await call('getTransaction', { hash }, transactionAnswer, signal)
  // Of the replicas behind one address, one that has this ledger answered the search of events, and another one this.
  if (answer.status === 'NOT_FOUND' && answer.latestLedger < ledger) {
    const message = `the endpoint has ledgers up to ${answer.latestLedger}, not ${ledger}`
    throw new RpcError('lagging', 'getTransaction', message)
  }
  // A transaction that failed moved nothing; the event is not of this one.
  if (answer.status !== 'SUCCESS') return undefined
  const { envelopeXdr, resultMetaXdr, createdAt } = answer
  try {
    const { operations } = scanEnvelope(Buffer.from(envelopeXdr, 'base64'))
    const signers = operations.flatMap((operation) => operation.signers)
    const carried = new Set(
      signers.flatMap(({ address, nonce }) => (address === payer ? [nonce] : [])),
    )
    const closedAtMs = createdAt * 1_000
    // Nothing of the payer can have been used, whatever the meta says: that of a payment of lumens to oneself is empty.
    if (carried.size === 0) return { used: carried, envelopeXdr, closedAtMs }
    const meta = usedNonces(Buffer.from(resultMetaXdr, 'base64'), payer)
    // Meta that is not about these operations proves nothing, neither that one was used nor that none was.
    const isOfThese =
      meta.operations === operations.length && [...meta.used].every((nonce) => carried.has(nonce))
    return isOfThese ? { used: meta.used, closedAtMs, envelopeXdr } : undefined
  } catch {
    return undefined
  }
}
