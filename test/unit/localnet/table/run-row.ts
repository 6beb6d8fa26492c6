/** Sends the transaction of a row, and compares the whole ledger afterwards with what the row states. */
import { scValToNative, xdr } from '@stellar/stellar-sdk'
import { xdr as olderXdr } from 'stellar-sdk-14'
import { expect } from 'vitest'
import type { Localnet } from '../../../../src/localnet/network.ts'
import {
  bytesOf,
  changeNames,
  codes,
  type Envelope,
  feeCharged,
  metaOf,
  resourceFees,
} from '../harness.ts'
import { nameOf } from './accounts.ts'
import { eventText } from './event-text.ts'
import { added, difference, type Facts, factsOf } from './ledger-state.ts'
import { declaredFee } from './raw-envelopes.ts'
import type { Row } from './row.ts'
import { type StartingLedger, succeed, withFields } from './starting-ledger.ts'

export async function runRow({ net, start }: StartingLedger, row: Row): Promise<void> {
  await net.restore(start)
  if (row.given) {
    await succeed(net, row.given)
    await net.closeLedger()
  }
  await net.restore(withFields(net, await net.snapshot(), row))
  const before = await net.snapshot()
  const result = await submit(net, await row.send.build(net))
  const after = await net.snapshot()
  const fee = row.fee + result.resourceFee
  const paid = result.applied ? fee : 0n
  expect({ codes: result.codes, fee: result.fee }).toEqual({ codes: row.codes, fee })
  expect(difference(factsOf(before), factsOf(after))).toEqual(
    result.applied ? changesOf(row, paid) : {},
  )
  expect(after.state.feePool - before.state.feePool).toBe(paid)
  if (row.says) expect(result.words).toContain(row.says)
  if (row.meta) expect(result.meta).toBe(row.meta)
  if (row.events !== undefined) expect(result.events).toBe(row.events)
}

/** The fee and one sequence number of the source, and what the row states. */
function changesOf({ send, changes }: Row, fee: bigint): Facts {
  const [source, payer] = [send.source, send.payer].map((it) => nameOf(it.publicKey()))
  const paid = added(changes, `${payer} XLM`, -fee)
  // The sequence number of a removed account is removed with it.
  return changes[`${source} account`] === -1n ? paid : added(paid, `${source} sequence`, 1n)
}

interface Result {
  readonly codes: string
  readonly fee: bigint
  /** The part of the fee that is for Soroban resources: as declared, or as charged once applied. */
  readonly resourceFee: bigint
  readonly applied: boolean
  /** Texts in the diagnostic events. */
  readonly words: readonly unknown[]
  /** Kinds of changes. */
  readonly meta: string
  readonly events: string
}

async function submit(net: Localnet, envelope: Envelope): Promise<Result> {
  const { status, hash, resultXdr, diagnosticEvents = [] } = net.submit(bytesOf(envelope))
  await net.closeLedger()
  if (status !== 'PENDING') {
    const all = [status, ...(resultXdr ? codes(resultXdr) : [])]
    const fee = resultXdr ? feeCharged(resultXdr) : 0n
    return {
      codes: all.join(' '),
      fee,
      // No fee is that of a malformed envelope.
      resourceFee: fee === 0n ? 0n : declaredFee(envelope),
      applied: false,
      words: wordsOf(diagnosticEvents),
      meta: '',
      events: '',
    }
  }
  const applied = net.transaction(hash)
  if (!applied) throw new Error('no ledger took the transaction')
  const { nonRefundable, rent, events } = resourceFees(applied)
  const { operations } = metaOf(applied)
  const { contractEvents } = applied
  // Only a success changes entries, emits events of contracts, and pays for rent and events.
  if (!applied.successful) {
    const effects = { operations, contractEvents, rent, events }
    expect(effects).toEqual({ operations: [], contractEvents: [], rent: 0n, events: 0n })
  }
  const meta = Buffer.from(applied.resultMetaXdr)
  expect(olderXdr.TransactionMeta.fromXDR(meta).toXDR()).toEqual(meta)
  return {
    codes: codes(applied.resultXdr).join(' '),
    fee: feeCharged(applied.resultXdr),
    resourceFee: nonRefundable + rent + events,
    applied: true,
    words: wordsOf(applied.diagnosticEvents),
    meta: operations.flatMap(({ changes }) => changeNames(changes)).join(', '),
    events: contractEvents.flat().map(eventText).join('; '),
  }
}

const wordsOf = (events: readonly Uint8Array[]): readonly unknown[] =>
  events.flatMap((bytes) => scValToNative(xdr.DiagnosticEvent.fromXdr(bytes).event.body.v0.data))
