/** Sends what a row sends, and compares everything that came of it. */
import { expect } from 'vitest'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { bytesOf, codes, feeCharged } from '../harness.ts'
import { added, difference, type Facts, factsOf } from './ledger-state.ts'
import { alice, nameOf } from './people.ts'
import type { Envelope, Row } from './row.ts'
import { doctor, succeed, transactionOf, type World } from './world.ts'

const BASE_FEE = 100n

export async function runRow({ net, start }: World, row: Row): Promise<void> {
  await net.restore(start)
  for (const step of row.given ?? []) {
    await succeed(net, typeof step === 'function' ? step(net) : step)
  }
  if (row.given) await net.closeLedger()
  if (row.doctored) await net.restore(doctor(net, await net.snapshot(), row.doctored))
  const before = await net.snapshot()
  const outcome = await send(net, await envelopeOf(net, row))
  const after = await net.snapshot()
  const fee = row.fee ?? defaultFee(row)
  expect({ codes: outcome.codes, fee: outcome.fee }).toEqual({ codes: row.codes, fee })
  expect(difference(factsOf(before), factsOf(after))).toEqual(
    outcome.applied ? withFee(row, fee) : {},
  )
  expect(after.state.feePool - before.state.feePool).toBe(outcome.applied ? fee : 0n)
}

const envelopeOf = async (net: Localnet, { send: what }: Row): Promise<Envelope> =>
  typeof what === 'function' ? await what(net) : transactionOf(net, what)

function defaultFee({ send: what, when }: Row): bigint {
  if (typeof what === 'function') throw new Error(`the row must say which fee is named: ${when}`)
  return BASE_FEE * BigInt(what.operations.length)
}

/** The fee, and one sequence number of the source, on top of what the row says. */
function withFee({ send: what, source, payer, changes = {} }: Row, fee: bigint): Facts {
  const sender = source ?? (typeof what === 'function' ? alice : (what.source ?? alice))
  const paid = added(changes, `${nameOf((payer ?? sender).publicKey())} XLM`, -fee)
  const name = nameOf(sender.publicKey())
  // An account that is gone takes its number along.
  return changes[`${name} exists`] === -1n ? paid : added(paid, `${name} sequence`, 1n)
}

interface Sent {
  readonly codes: string
  readonly fee: bigint
  readonly applied: boolean
}

async function send(net: Localnet, envelope: Envelope): Promise<Sent> {
  const { status, hash, resultXdr } = net.submit(bytesOf(envelope))
  await net.closeLedger()
  if (status !== 'PENDING') {
    const told = resultXdr ? codes(resultXdr) : []
    return {
      codes: [status, ...told].join(' '),
      fee: resultXdr ? feeCharged(resultXdr) : 0n,
      applied: false,
    }
  }
  const applied = net.transaction(hash)
  if (!applied) return { codes: 'dropped', fee: 0n, applied: false }
  const { resultXdr: result } = applied
  return { codes: codes(result).join(' '), fee: feeCharged(result), applied: true }
}
