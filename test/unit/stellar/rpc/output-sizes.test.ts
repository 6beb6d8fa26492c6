import { Address, Keypair, SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { simulationAnswer } from '../../../../src/stellar/rpc/rpc-answers.ts'

const contract = Address.contract(new Uint8Array(32)).toScAddress()

const event = new xdr.ContractEvent({
  ext: xdr.ExtensionPoint.v0(),
  contractId: null,
  type: xdr.ContractEventType.contract,
  body: xdr.ContractEventBody.v0(
    new xdr.ContractEventV0({ topics: [], data: xdr.ScVal.scvBytes(new Uint8Array(1_000)) }),
  ),
})
const diagnostic = new xdr.ContractEvent({ ...event, type: xdr.ContractEventType.diagnostic })
const reported = (emitted: xdr.ContractEvent, inSuccessfulContractCall: boolean) =>
  new xdr.DiagnosticEvent({ event: emitted, inSuccessfulContractCall }).toXdr('base64')

const keys = {
  data: xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      ...{ contract, key: xdr.ScVal.scvVoid(), durability: xdr.ContractDataDurability.temporary },
    }),
  ),
  code: xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash: new Uint8Array(32) })),
  account: xdr.LedgerKey.account(
    new xdr.LedgerKeyAccount({ accountId: Keypair.random().xdrPublicKey() }),
  ),
}
const change = (key: xdr.LedgerKey, bytes: number | undefined) => ({
  key: key.toXdr('base64'),
  after: bytes === undefined ? null : Buffer.alloc(bytes).toString('base64'),
})

const success = {
  latestLedger: 900,
  minResourceFee: '30000',
  transactionData: new SorobanDataBuilder().build().toXdr('base64'),
}

test('events that the ledger keeps and the returned value count, and the largest entries of contracts', () => {
  const answer = {
    ...success,
    events: [
      reported(event, true),
      reported(diagnostic, true),
      reported(event, false),
      reported(event, true),
    ],
    results: [{ xdr: xdr.ScVal.scvVoid().toXdr('base64') }],
    stateChanges: [
      change(keys.data, 301),
      change(keys.data, 299),
      change(keys.data, undefined),
      change(keys.account, 4_000),
      change(keys.code, 601),
    ],
  }
  expect(simulationAnswer.parse(answer)).toMatchObject({
    output: {
      emittedBytes: 2 * event.toXdr().length + 4,
      dataEntryBytes: 301,
      codeEntryBytes: 601,
    },
  })
})

test('an answer without events and changes has none', () => {
  expect(simulationAnswer.parse(success)).toMatchObject({
    output: { emittedBytes: 0, dataEntryBytes: 0, codeEntryBytes: 0 },
  })
})
