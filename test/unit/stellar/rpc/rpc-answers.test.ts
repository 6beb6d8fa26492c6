import { SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import {
  feeStatsAnswer,
  latestLedgerAnswer,
  ledgerEntriesAnswer,
  sendAnswer,
  simulationAnswer,
  transactionAnswer,
} from '../../../../src/stellar/rpc/rpc-answers.ts'

const trapped = xdr.TransactionResultResult.txFailed([
  xdr.OperationResult.opInner(
    xdr.OperationResultTr.invokeHostFunction(
      xdr.InvokeHostFunctionResult.invokeHostFunctionTrapped(),
    ),
  ),
])

const resultOf = (result: xdr.TransactionResultResult): string =>
  new xdr.TransactionResult({
    feeCharged: 33_229n,
    result,
    ext: xdr.TransactionResultExt.v0(),
  }).toXdr('base64')

const innerFailure = (inner: xdr.InnerTransactionResultResult): string =>
  resultOf(
    xdr.TransactionResultResult.txFeeBumpInnerFailed(
      new xdr.InnerTransactionResultPair({
        transactionHash: new Uint8Array(32),
        result: new xdr.InnerTransactionResult({
          feeCharged: 0n,
          result: inner,
          ext: xdr.InnerTransactionResultExt.v0(),
        }),
      }),
    ),
  )

const range = {
  latestLedger: 900,
  latestLedgerCloseTime: '1700000000',
  oldestLedger: 100,
  oldestLedgerCloseTime: '1600000000',
}

const event = new xdr.DiagnosticEvent({
  inSuccessfulContractCall: false,
  event: new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: null,
    type: xdr.ContractEventType.diagnostic,
    body: xdr.ContractEventBody.v0(
      new xdr.ContractEventV0({
        topics: [
          xdr.ScVal.scvSymbol('error'),
          xdr.ScVal.scvError(xdr.ScError.sceAuth(xdr.ScErrorCode.scecExistingValue)),
        ],
        data: xdr.ScVal.scvString('nonce already exists'),
      }),
    ),
  }),
}).toXdr('base64')

describe('getTransaction', () => {
  it('reads NOT_FOUND with the range of ledgers searched', () => {
    expect(transactionAnswer.parse({ status: 'NOT_FOUND', ...range })).toEqual({
      status: 'NOT_FOUND',
      latestLedger: 900,
      latestCloseTime: 1_700_000_000,
      oldestLedger: 100,
      oldestCloseTime: 1_600_000_000,
    })
  })

  it('reads a failure with the inner code and the fee charged', () => {
    const inner = xdr.InnerTransactionResultResult.txFailed(
      trapped.type === 'txFailed' ? trapped.results : [],
    )
    const answer = {
      status: 'FAILED',
      ...range,
      ledger: 800,
      createdAt: '1690000000',
      resultXdr: innerFailure(inner),
      diagnosticEventsXdr: [event],
    }
    expect(transactionAnswer.parse(answer)).toMatchObject({
      status: 'FAILED',
      ledger: 800,
      createdAt: 1_690_000_000,
      feeCharged: 33_229n,
      resultCode: 'txFailed',
      operationCode: 'invokeHostFunctionTrapped',
      events: [
        {
          kind: 'diagnostic',
          topics: [
            { type: 'symbol', value: 'error' },
            { type: 'error', error: { type: 'Auth', code: 'ExistingValue' } },
          ],
          data: { type: 'string', value: 'nonce already exists' },
        },
      ],
    })
  })

  it('decodes no events of a success', () => {
    const answer = {
      status: 'SUCCESS',
      ...range,
      ledger: 800,
      createdAt: '1690000000',
      resultXdr: resultOf(xdr.TransactionResultResult.txSuccess([])),
      diagnosticEventsXdr: ['no event'],
    }
    expect(transactionAnswer.parse(answer)).toMatchObject({ status: 'SUCCESS', events: [] })
  })

  it('refuses a status it does not know', () => {
    expect(transactionAnswer.safeParse({ status: 'MAYBE', ...range }).success).toBe(false)
  })
})

describe('sendTransaction', () => {
  test.each([
    [innerFailure(xdr.InnerTransactionResultResult.txBadSeq()), 'txBadSeq', undefined],
    [resultOf(xdr.TransactionResultResult.txInsufficientFee()), 'txInsufficientFee', undefined],
    [resultOf(trapped), 'txFailed', 'invokeHostFunctionTrapped'],
  ])('reads why a transaction was refused', (errorResultXdr, resultCode, operationCode) => {
    const answer = {
      status: 'ERROR',
      hash: 'ab'.repeat(32),
      latestLedger: 900,
      latestLedgerCloseTime: '1700000000',
      errorResultXdr,
    }
    const read = sendAnswer.parse(answer)
    expect([read.status, read.resultCode, read.operationCode]).toEqual([
      'ERROR',
      resultCode,
      operationCode,
    ])
  })
})

describe('simulateTransaction', () => {
  const data = (archived: number[]) =>
    new xdr.SorobanTransactionData({
      ...new SorobanDataBuilder().setResourceFee(30_000).build(),
      ext:
        archived.length > 0
          ? xdr.SorobanTransactionDataExt.resourceExt(
              new xdr.SorobanResourcesExtV0({ archivedSorobanEntries: archived }),
            )
          : xdr.SorobanTransactionDataExt.v0(),
    }).toXdr('base64')
  const success = { latestLedger: 900, minResourceFee: '30000', transactionData: data([]) }

  it('reads a success', () => {
    expect(simulationAnswer.parse(success)).toMatchObject({
      kind: 'ok',
      latestLedger: 900,
      minResourceFee: 30_000n,
      needsRestore: false,
    })
  })

  test.each([
    ['the endpoint says so', { ...success, restorePreamble: { minResourceFee: '1' } }],
    ['the footprint says so', { ...success, transactionData: data([0]) }],
  ])('reports that state must be restored when %s', (_, answer) => {
    expect(simulationAnswer.parse(answer)).toMatchObject({ needsRestore: true })
  })

  it('reads a failure with its events', () => {
    const answer = { latestLedger: 900, error: 'HostError: Error(Auth, X)', events: [event] }
    expect(simulationAnswer.parse(answer)).toMatchObject({
      kind: 'failed',
      error: 'HostError: Error(Auth, X)',
      events: [{ kind: 'diagnostic' }],
    })
  })

  it('refuses an answer that is neither', () => {
    expect(simulationAnswer.safeParse({ latestLedger: 900 }).success).toBe(false)
  })
})

describe('other answers', () => {
  it('read entries, without liveUntilLedger for those that never expire', () => {
    const entries = [
      { key: 'a', xdr: 'b', liveUntilLedgerSeq: 0 },
      { key: 'c', xdr: 'd', liveUntilLedgerSeq: 1_000 },
    ]
    expect(ledgerEntriesAnswer.parse({ latestLedger: 900, entries })).toEqual({
      latestLedger: 900,
      entries: [
        { key: 'a', xdr: 'b' },
        { key: 'c', xdr: 'd', liveUntilLedger: 1_000 },
      ],
    })
    expect(ledgerEntriesAnswer.parse({ latestLedger: 900, entries: null }).entries).toEqual([])
  })

  it('read the tip with its time as text, or without', () => {
    const tip = { sequence: 5, protocolVersion: '29', closeTime: '1700000000' }
    expect(latestLedgerAnswer.parse(tip)).toEqual({
      sequence: 5,
      protocolVersion: 29,
      closeTime: 1_700_000_000,
    })
    expect(latestLedgerAnswer.parse({ sequence: 5, protocolVersion: 29 }).closeTime).toBeUndefined()
  })

  it('read fees as stroops', () => {
    const names = ['min', 'max', 'mode', 'p50', 'p60', 'p70', 'p80', 'p90', 'p95', 'p99']
    const fees = Object.fromEntries(names.map((name, i) => [name, String(100 + i)]))
    const read = feeStatsAnswer.parse({ latestLedger: 5, sorobanInclusionFee: fees })
    expect(read.sorobanInclusionFee.p90).toBe(107n)
  })
})
