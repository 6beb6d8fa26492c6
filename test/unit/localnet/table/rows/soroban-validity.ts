import { Address, Memo, Operation, xdr } from '@stellar/stellar-sdk'
import { accountKey } from '../../../../support/ledger-view.ts'
import { key } from '../../harness.ts'
import type { Declaration } from '../../soroban-harness.ts'
import { addressOf, alice, bob, vault, XLM } from '../accounts.ts'
import { bumped, calls, transferDeclaring as declares, transfer } from '../calls.ts'
import { pay } from '../operations.ts'
import { rawTx, resources } from '../raw-envelopes.ts'
import { raw } from '../raw-operations.ts'
import { rejected, rows } from '../row.ts'

const malformed = { fee: 0n }
const uploadOf = (resourceFee: bigint, bid = Number(resourceFee) + 100, bytes = 8) =>
  rawTx({
    operations: [Operation.uploadContractWasm({ wasm: Buffer.alloc(bytes) })],
    bid,
    ext: xdr.TransactionExt.sorobanData(resources(0, resourceFee)),
  })
const { operations: upload } = uploadOf(0n)
const feeAboveMost = bumped(uploadOf(2n ** 50n + 1n, 100))

const many = <T>(count: number, itemOf: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => itemOf(index))
const account = (index: number) => xdr.LedgerKey.fromXdr(accountKey(addressOf(key(index + 1))))
const nativeLine = xdr.LedgerKey.trustline(
  new xdr.LedgerKeyTrustLine({
    accountId: alice.xdrAccountId(),
    asset: XLM.toTrustLineXdrObject(),
  }),
)
const { persistent, temporary } = xdr.ContractDataDurability
const entry = (contents: xdr.ScVal, durability = persistent) =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(vault).toScAddress(),
      key: contents,
      durability,
    }),
  )
const numbered = (index: number) => entry(xdr.ScVal.scvU32(index))
const footprint = (readOnly: xdr.LedgerKey[], readWrite: xdr.LedgerKey[] = []) => ({
  footprint: new xdr.LedgerFootprint({ readOnly, readWrite }),
})
const restores = (readWrite: xdr.LedgerKey[], ...restored: number[]) => ({
  ...footprint([], readWrite),
  restored,
})

const unsupported = 'transaction footprint contains unsupported ledger key type'
const exceeds = (what: string) => `transaction ${what} resources exceed network config limit`
const tooManyEntries =
  'the number of entries in transaction footprint exceeds the network config limit'
const nonPersistent = 'archivedSorobanEntries index points to a non-persistent entry'
const feeBelowCost =
  'transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee'
const duplicateKey =
  'Found duplicate key in the Soroban footprint; every key across read-only and read-write ' +
  'footprints has to be unique.'
const tooLarge = 'total transaction size exceeds network config limit'
const memoIsRefused = 'Soroban transactions are not allowed to use memo or muxed source account'
const withMemo = calls(transfer(), { memo: Memo.text('hello') })
const cheap = calls(transfer(), { spare: -1n })

/** When, what a transfer declares, and what the diagnostic event says. */
const limits: readonly [when: string, declared: Declaration, says: string][] = [
  ['it may use 400,000,001 instructions', { instructions: 400_000_001 }, exceeds('instructions')],
  ['it may read 200,001 bytes', { diskReadBytes: 200_001 }, exceeds('byte-read')],
  ['it may write 132,097 bytes', { writeBytes: 132_097 }, exceeds('byte-write')],
  ['its footprint has 401 entries', footprint(many(401, numbered)), tooManyEntries],
  ['it reads 201 accounts', footprint(many(201, account)), exceeds('entry-disk-read')],
  [
    'it reads 200 accounts, and restores an entry',
    { ...restores([numbered(0)], 0), ...footprint(many(200, account), [numbered(0)]) },
    exceeds('entry-disk-read'),
  ],
  ['it writes 201 entries', footprint([], many(201, numbered)), exceeds('entry-write')],
  ['its footprint has data', footprint([raw.dataKey(alice, 'note')]), unsupported],
  [
    'its footprint has a trustline of XLM',
    footprint([nativeLine]),
    'transaction footprint contains invalid trustline asset',
  ],
  [
    'a key of its footprint has more than 250 bytes',
    footprint([entry(xdr.ScVal.scvBytes(Buffer.alloc(200)))]),
    'transaction footprint key exceeds network config limit',
  ],
  [
    'it restores an entry twice',
    restores(many(2, numbered), 1, 1),
    'archivedSorobanEntries must be sorted in ascending order',
  ],
  [
    'it restores an entry that its footprint lacks',
    restores(many(2, numbered), 2),
    'archivedSorobanEntries index is out of bounds',
  ],
  [
    'it restores a temporary entry',
    restores([entry(xdr.ScVal.scvVoid(), temporary)], 0),
    nonPersistent,
  ],
  ['a key is in both footprints', footprint([numbered(0)], [numbered(0)]), duplicateKey],
]

/** stellar-core, TransactionFrame: Soroban transactions that no ledger takes. */
export const sorobanValidityRows = rows({
  'TransactionFrame::validateSorobanOpsConsistency': [
    rejected('txMalformed', 'it has a payment too', [...upload, pay(bob, '1')], malformed),
  ],
  'TransactionFrame::XDRProvidesValidFee': [
    rejected('txMalformed', 'it declares no resources', upload, malformed),
    rejected('txMalformed', 'its bid is below its resource fee', uploadOf(9n, 8), malformed),
    rejected('txMalformed', 'its resource fee is negative', uploadOf(-1n), malformed),
    rejected('txMalformed', 'its resource fee is above 2^50', feeAboveMost, malformed),
  ],
  'TransactionFrame::validateSorobanMemo': [
    rejected('txSorobanInvalid', 'it has a memo', withMemo, memoIsRefused),
  ],
  'TransactionFrame::checkSorobanResourceAndSetError': limits.map(([when, declared, says]) =>
    rejected('txSorobanInvalid', when, declares(declared), says),
  ),
  'TransactionFrame::commonValidPreSeqNum': [
    rejected('txSorobanInvalid', 'it has over 132,096 bytes', uploadOf(9n, 109, 132_096), tooLarge),
    rejected('txSorobanInvalid', 'a stroop of its cost is missing', cheap, feeBelowCost),
  ],
})
