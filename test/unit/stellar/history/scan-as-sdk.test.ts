/** What the explorer reads of XDR is what the SDK reads. */
import { Address, Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanEnvelope } from '../../../../src/stellar/history/scan/scan-envelope.ts'
import {
  scanContractEvent,
  scanDiagnosticEvent,
} from '../../../../src/stellar/history/scan/scan-event.ts'
import { scanScValue } from '../../../../src/stellar/history/scan/scan-sc-value.ts'
import { XdrCursor } from '../../../../src/stellar/history/scan/xdr-cursor.ts'
import { readDiagnosticEvent, readScValue } from '../../../../src/stellar/values/read-sc-value.ts'
import {
  buyer,
  channel,
  envelopeOf,
  sponsor,
} from '../../../support/explorer/synthetic-transaction.ts'
import { muxed } from '../../../support/payments.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const address = fc.oneof(
  bytes(32).map((key) => StrKey.encodeEd25519PublicKey(key)),
  bytes(32).map((key) => StrKey.encodeContract(key)),
  bytes(40).map((key) => StrKey.encodeMed25519PublicKey(key)),
  bytes(32).map((key) => StrKey.encodeClaimableBalance(Buffer.concat([Buffer.from([0]), key]))),
  bytes(32).map((key) => StrKey.encodeLiquidityPool(key)),
)
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const { ScVal } = xdr

const leaf: fc.Arbitrary<xdr.ScVal> = fc.oneof(
  fc.constant(ScVal.scvVoid()),
  fc.boolean().map((value) => ScVal.scvBool(value)),
  fc.nat().map((value) => ScVal.scvU32(value)),
  fc.integer().map((value) => ScVal.scvI32(value)),
  uint64.map((value) => ScVal.scvU64(value)),
  int64.map((value) => ScVal.scvI64(value)),
  uint64.map((value) => ScVal.scvTimepoint(value)),
  uint64.map((value) => ScVal.scvDuration(value)),
  fc.tuple(uint64, uint64).map(([hi, lo]) => ScVal.scvU128(new xdr.Uint128Parts({ hi, lo }))),
  fc.tuple(int64, uint64).map(([hi, lo]) => ScVal.scvI128(new xdr.Int128Parts({ hi, lo }))),
  uint64.map((each) =>
    ScVal.scvU256(new xdr.Uint256Parts({ hiHi: each, hiLo: 1n, loHi: 2n, loLo: each })),
  ),
  int64.map((each) =>
    ScVal.scvI256(new xdr.Int256Parts({ hiHi: each, hiLo: 1n, loHi: 2n, loLo: 3n })),
  ),
  fc.uint8Array({ maxLength: 9 }).map((value) => ScVal.scvBytes(value)),
  fc.string({ unit: 'binary', maxLength: 9 }).map((value) => ScVal.scvString(value)),
  fc.stringMatching(/^\w{0,32}$/).map((value) => ScVal.scvSymbol(value)),
  address.map((value) => Address.fromString(value).toScVal()),
)

const { value: anyValue } = fc.letrec<{ value: xdr.ScVal }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => ScVal.scvVec(items)),
    fc
      .array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 })
      .map((pairs) => ScVal.scvMap(pairs.map(([key, val]) => new xdr.ScMapEntry({ key, val })))),
  ),
}))

const bufferOf = (value: { toXdr(): Uint8Array }): Buffer => Buffer.from(value.toXdr())
/** Bytes as plain lists: the SDK's are copies, ours are parts of a buffer. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) => {
      if (typeof each === 'bigint') return `${each}n`
      return each?.type === 'bytes' ? { type: 'bytes', value: [...each.value] } : each
    }) ?? 'null',
  )

test('values are read as the SDK reads them, to their end', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const cursor = new XdrCursor(Buffer.concat([bufferOf(value), Buffer.from([9, 9, 9, 9])]))
      expect(plain(scanScValue(cursor))).toEqual(plain(readScValue(value)))
      expect(cursor.uint32()).toBe(0x09_09_09_09)
    }),
    { numRuns: 300 },
  )
})

const anyEvent = fc
  .record({
    topics: fc.array(anyValue, { maxLength: 4 }),
    data: anyValue,
    id: fc.option(bytes(32)),
    type: fc.constantFrom('contract', 'system', 'diagnostic'),
  })
  .map(({ topics, data, id, type }) => {
    const contractId = id && new xdr.ContractId(id)
    const body = xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data }))
    const kind = xdr.ContractEventType[type as 'contract']
    return new xdr.ContractEvent({ ext: xdr.ExtensionPoint.v0(), contractId, type: kind, body })
  })

test('events of contracts in calls that were not rolled back are read as the SDK reads them', () => {
  fc.assert(
    fc.property(anyEvent, fc.boolean(), (event, inSuccessfulContractCall) => {
      const diagnostic = new xdr.DiagnosticEvent({ inSuccessfulContractCall, event })
      const { kind, contract, topics, data } = readDiagnosticEvent(diagnostic.toXdr('base64'))
      const isOfContract = kind === 'contract' && contract !== undefined
      const expected = isOfContract ? plain({ contract, topics, data }) : null
      expect(plain(scanContractEvent(bufferOf(event)))).toEqual(expected)
      const inDiagnostics = inSuccessfulContractCall ? expected : null
      expect(plain(scanDiagnosticEvent(bufferOf(diagnostic)))).toEqual(inDiagnostics)
    }),
    { numRuns: 200 },
  )
})

describe('an envelope is read', () => {
  const timeBounds = new xdr.TimeBounds({ minTime: 1n, maxTime: 2n })
  const key = new Uint8Array(32).fill(5)
  const payload = new Uint8Array(6)
  const preconditions = [
    xdr.Preconditions.precondNone(),
    xdr.Preconditions.precondTime(timeBounds),
    xdr.Preconditions.precondV2(
      new xdr.PreconditionsV2({
        timeBounds,
        ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 2 }),
        minSeqNum: 3n,
        minSeqAge: 4n,
        minSeqLedgerGap: 5,
        extraSigners: [
          xdr.SignerKey.signerKeyTypeHashX(key),
          xdr.SignerKey.signerKeyTypeEd25519SignedPayload(
            new xdr.SignerKeyEd25519SignedPayload({ ed25519: key, payload }),
          ),
        ],
      }),
    ),
    xdr.Preconditions.precondV2(
      new xdr.PreconditionsV2({
        timeBounds: null,
        ledgerBounds: null,
        minSeqNum: null,
        minSeqAge: 0n,
        minSeqLedgerGap: 0,
        extraSigners: [],
      }),
    ),
  ]

  test.each(preconditions.map((cond) => [cond.type, cond] as const))(
    'past its preconditions %s',
    (_, cond) => {
      const plan = { cond, source: muxed(channel), feeSource: sponsor, opSource: channel }
      expect(scanEnvelope(bufferOf(envelopeOf(plan)))).toMatchObject({
        source: channel,
        feeSource: sponsor,
        operations: [
          { source: channel, call: { functionName: 'transfer' }, signers: [{ address: buyer }] },
        ],
      })
    },
  )

  test('of version 0', () => {
    const source = Keypair.random()
    const { v1 } = envelopeOf() as { v1: xdr.TransactionV1Envelope }
    const { operations, memo } = v1.tx
    const tx = new xdr.TransactionV0({
      sourceAccountEd25519: source.rawPublicKey(),
      fee: 1,
      seqNum: 1n,
      timeBounds,
      memo,
      operations,
      ext: xdr.TransactionV0Ext.v0(),
    })
    const envelope = xdr.TransactionEnvelope.envelopeTypeTxV0(
      new xdr.TransactionV0Envelope({ tx, signatures: [] }),
    )
    expect(scanEnvelope(bufferOf(envelope))).toMatchObject({
      source: source.publicKey(),
      operations: [{ call: { functionName: 'transfer' } }],
    })
  })
})
