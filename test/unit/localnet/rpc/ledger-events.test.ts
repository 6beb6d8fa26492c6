import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import type { AppliedTransaction, ClosedLedger } from '../../../../src/localnet/closing/history.ts'
import { formatCursor } from '../../../../src/localnet/rpc/cursor.ts'
import { ledgerEvents } from '../../../../src/localnet/rpc/ledger-events.ts'

const none = new Uint8Array()
const event = (topic: string) =>
  new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: new xdr.ContractId(new Uint8Array(32)),
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(
      new xdr.ContractEventV0({
        topics: [xdr.ScVal.scvSymbol(topic)],
        data: xdr.ScVal.scvVoid(),
      }),
    ),
  })
const fee = (stage: xdr.TransactionEventStage, topic: string) =>
  new xdr.TransactionEvent({ stage, event: event(topic) }).toXdr()

const { transactionEventStageBeforeAllTxs: before, transactionEventStageAfterAllTxs: after } =
  xdr.TransactionEventStage
const { transactionEventStageAfterTx: afterOne } = xdr.TransactionEventStage

const transaction = (applicationOrder: number): AppliedTransaction => ({
  hash: String(applicationOrder).repeat(64),
  feeBump: false,
  ledger: 7,
  closeTime: 1,
  applicationOrder,
  successful: true,
  envelopeXdr: none,
  resultXdr: none,
  resultMetaXdr: none,
  feeChangesXdr: none,
  refundChangesXdr: none,
  contractEvents: [
    [event(`op${applicationOrder}a`).toXdr(), event(`op${applicationOrder}b`).toXdr()],
  ],
  transactionEvents: [
    fee(before, `fee${applicationOrder}`),
    fee(after, `late${applicationOrder}`),
    fee(afterOne, `refund${applicationOrder}`),
  ],
  diagnosticEvents: [],
})
const ledger: ClosedLedger = {
  sequence: 7,
  closeTime: 1,
  hash: '',
  headerXdr: none,
  transactions: [transaction(1), transaction(2)],
  fees: { classic: [], soroban: [] },
  baseFees: { classic: 100n, soroban: 100n },
  evictedKeys: [],
}

describe('ledgerEvents', () => {
  it('returns fees first, then each transaction and its refund, then the events after all', () => {
    const names = ledgerEvents(ledger).map(({ topics }) =>
      String(xdr.ScVal.fromXdr(topics[0] ?? '', 'base64').value),
    )
    expect(names).toEqual([
      'fee1',
      'fee2',
      'op1a',
      'op1b',
      'refund1',
      'op2a',
      'op2b',
      'refund2',
      'late1',
      'late2',
    ])
  })

  it('gives every event its own id, in text order', () => {
    const ids = ledgerEvents(ledger).map(({ cursor }) => formatCursor(cursor))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted()).toEqual(ids)
  })
})
