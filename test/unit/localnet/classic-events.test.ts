/** Events of operations on trustlines, in the shape of the asset contracts (CAP-67). */
import { StrKey, scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { apply, type Op, passphrase } from './harness.ts'
import { addressOf, alice, bob, REG, regulator } from './table/accounts.ts'
import { clawback, flags, maintainOnly } from './table/operations.ts'
import { openStartingLedger, type StartingLedger } from './table/starting-ledger.ts'
import { transactionOf } from './table/transaction.ts'

let ledger: StartingLedger

beforeAll(async () => {
  ledger = await openStartingLedger()
})

/** The events of the regulator's operations on REG. */
async function eventsOf(operations: readonly Op[]): Promise<unknown[]> {
  const { net, start } = ledger
  await net.restore(start)
  const applied = await apply(net, transactionOf(net, { operations, source: regulator }))
  return applied.contractEvents.flat().map((bytes) => {
    const { contractId, body } = xdr.ContractEvent.fromXdr(bytes)
    expect(StrKey.encodeContract(contractId?.value ?? new Uint8Array())).toBe(contract)
    const [topics, data] = [body.v0.topics, body.v0.data]
    return [...topics.map((topic) => scValToNative(topic)), scValToNative(data)]
  })
}

const name = REG.toString()
const contract = REG.contractId(passphrase)

describe('events', () => {
  it('report a clawback', async () => {
    expect(await eventsOf([clawback(alice, '20')])).toEqual([
      ['clawback', addressOf(alice), name, 200_000_000n],
    ])
  })

  it('report an authorization', async () => {
    expect(await eventsOf([flags(bob, { authorized: true })])).toEqual([
      ['set_authorized', addressOf(bob), name, true],
    ])
  })

  it('report an authorization that falls to keeping offers', async () => {
    expect(await eventsOf([flags(alice, maintainOnly)])).toEqual([
      ['set_authorized', addressOf(alice), name, false],
    ])
  })

  it('report nothing when another flag changes', async () => {
    expect(await eventsOf([flags(alice, { clawbackEnabled: false })])).toEqual([])
  })
})
