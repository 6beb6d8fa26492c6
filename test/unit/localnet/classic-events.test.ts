/** Events of operations on trustlines, in the shape of the asset contracts (CAP-67). */
import { Operation, StrKey, scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { apply, type Op, passphrase } from './harness.ts'
import { addressOf, alice, bob, REG, regulator } from './table/accounts.ts'
import { openStartingLedger, type StartingLedger } from './table/starting-ledger.ts'
import { transactionOf } from './table/transaction.ts'

let ledger: StartingLedger

beforeAll(async () => {
  ledger = await openStartingLedger()
})

/** What the regulator's operations tell of REG. */
async function told(operations: readonly Op[]): Promise<unknown[]> {
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

const flags = (
  who: typeof alice,
  set: Parameters<typeof Operation.setTrustLineFlags>[0]['flags'],
) => Operation.setTrustLineFlags({ trustor: addressOf(who), asset: REG, flags: set })
const name = REG.toString()
const contract = REG.contractId(passphrase)

describe('events', () => {
  it('tell what was clawed back', async () => {
    const take = Operation.clawback({ from: addressOf(alice), asset: REG, amount: '20' })
    expect(await told([take])).toEqual([['clawback', addressOf(alice), name, 200_000_000n]])
  })

  it('tell who may hold it now', async () => {
    expect(await told([flags(bob, { authorized: true })])).toEqual([
      ['set_authorized', addressOf(bob), name, true],
    ])
  })

  it('tell who may no longer hold it, though its offers stay', async () => {
    const down = flags(alice, { authorized: false, authorizedToMaintainLiabilities: true })
    expect(await told([down])).toEqual([['set_authorized', addressOf(alice), name, false]])
  })

  it('tell nothing where authorization stays what it was', async () => {
    expect(await told([flags(alice, { clawbackEnabled: false })])).toEqual([])
  })
})
