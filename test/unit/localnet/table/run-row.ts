/** Sends the transaction of a row, and compares the whole ledger afterwards with what the row states. */
import { expect } from 'vitest'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { bytesOf, codes, feeCharged } from '../harness.ts'
import { nameOf } from './accounts.ts'
import { added, difference, type Facts, factsOf } from './ledger-state.ts'
import type { Row } from './row.ts'
import { type StartingLedger, succeed, withFields } from './starting-ledger.ts'
import type { Envelope } from './transaction.ts'

export async function runRow({ net, start }: StartingLedger, row: Row): Promise<void> {
  await net.restore(start)
  if (row.given) {
    await succeed(net, row.given)
    await net.closeLedger()
  }
  await net.restore(withFields(net, await net.snapshot(), row.ledger))
  const before = await net.snapshot()
  const result = await submit(net, row.send.build(net))
  const after = await net.snapshot()
  const fee = result.applied ? row.fee : 0n
  expect({ codes: result.codes, fee: result.fee }).toEqual({ codes: row.codes, fee: row.fee })
  expect(difference(factsOf(before), factsOf(after))).toEqual(result.applied ? changesOf(row) : {})
  expect(after.state.feePool - before.state.feePool).toBe(fee)
}

/** The fee and one sequence number of the source, and what the row states. */
function changesOf({ send, fee, changes }: Row): Facts {
  const [source, payer] = [send.source, send.payer].map((it) => nameOf(it.publicKey()))
  const paid = added(changes, `${payer} XLM`, -fee)
  // The sequence number of a removed account is removed with it.
  return changes[`${source} account`] === -1n ? paid : added(paid, `${source} sequence`, 1n)
}

interface Result {
  readonly codes: string
  readonly fee: bigint
  readonly applied: boolean
}

async function submit(net: Localnet, envelope: Envelope): Promise<Result> {
  const { status, hash, resultXdr } = net.submit(bytesOf(envelope))
  await net.closeLedger()
  if (status !== 'PENDING') {
    const all = [status, ...(resultXdr ? codes(resultXdr) : [])]
    return { codes: all.join(' '), fee: resultXdr ? feeCharged(resultXdr) : 0n, applied: false }
  }
  const applied = net.transaction(hash)
  if (!applied) return { codes: 'dropped', fee: 0n, applied: false }
  const { resultXdr: result } = applied
  return { codes: codes(result).join(' '), fee: feeCharged(result), applied: true }
}
