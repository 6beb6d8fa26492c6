import { Address, Memo, Operation, StrKey, xdr } from '@stellar/stellar-sdk'
import { accountKey, contractBalanceKey } from '../../../../support/ledger-view.ts'
import { key, passphrase } from '../../harness.ts'
import type { Declaration } from '../../soroban-harness.ts'
import { addressOf, alice, bob, vault, XLM } from '../accounts.ts'
import { bumped, calls, transferDeclaring as declares, transfer } from '../calls.ts'
import { pay } from '../operations.ts'
import { rawTx, resources } from '../raw-envelopes.ts'
import { raw } from '../raw-operations.ts'
import { rejected, rows } from '../row.ts'
import { from } from '../transaction.ts'

const upload = (wasm = Buffer.alloc(8)) => Operation.uploadContractWasm({ wasm })
const malformed = { fee: 0n }
const uploadOf = (resourceFee: bigint, bid = Number(resourceFee) + 100) =>
  rawTx({
    operations: [upload()],
    bid,
    ext: xdr.TransactionExt.sorobanData(resources(0, resourceFee)),
  })

const balance = (index: number): xdr.LedgerKey => {
  const holder = Buffer.alloc(32)
  holder.writeUInt32BE(index)
  return xdr.LedgerKey.fromXdr(
    contractBalanceKey(StrKey.encodeContract(holder), XLM.contractId(passphrase)),
  )
}
const balances = (count: number) => Array.from({ length: count }, (_, index) => balance(index))
const accounts = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    xdr.LedgerKey.fromXdr(accountKey(addressOf(key(index + 1)))),
  )
const nativeLine = xdr.LedgerKey.trustline(
  new xdr.LedgerKeyTrustLine({
    accountId: alice.xdrAccountId(),
    asset: XLM.toTrustLineXdrObject(),
  }),
)
const ofVault = (contents: xdr.ScVal, durability = xdr.ContractDataDurability.persistent) =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(vault).toScAddress(),
      key: contents,
      durability,
    }),
  )

const footprint = (readOnly: xdr.LedgerKey[], readWrite: xdr.LedgerKey[] = []) => ({
  footprint: new xdr.LedgerFootprint({ readOnly, readWrite }),
})
const temporary = ofVault(xdr.ScVal.scvVoid(), xdr.ContractDataDurability.temporary)

/** What the diagnostic event says, when, and what the transfer declares. */
const limits: readonly [says: string, when: string, declared: Declaration][] = [
  [
    'transaction instructions resources exceed network config limit',
    'it declares more than 400,000,000 instructions',
    { instructions: 400_000_001 },
  ],
  [
    'transaction byte-read resources exceed network config limit',
    'it declares more than 200,000 bytes read from disk',
    { diskReadBytes: 200_001 },
  ],
  [
    'transaction byte-write resources exceed network config limit',
    'it declares more than 132,096 written bytes',
    { writeBytes: 132_097 },
  ],
  [
    'the number of entries in transaction footprint exceeds the network config limit',
    'its footprint has more than 400 entries',
    footprint(balances(401)),
  ],
  [
    'transaction entry-disk-read resources exceed network config limit',
    'it reads more than 200 accounts',
    footprint(accounts(201)),
  ],
  [
    'transaction entry-disk-read resources exceed network config limit',
    'it restores an entry beside 200 accounts',
    { ...footprint(accounts(200), [balance(0)]), restored: [0] },
  ],
  [
    'transaction entry-write resources exceed network config limit',
    'it writes more than 200 entries',
    footprint([], balances(201)),
  ],
  [
    'transaction footprint contains unsupported ledger key type',
    'its footprint has a data entry',
    footprint([raw.dataKey(alice, 'note')]),
  ],
  [
    'transaction footprint contains invalid trustline asset',
    'its footprint has a trustline of XLM',
    footprint([nativeLine]),
  ],
  [
    'transaction footprint key exceeds network config limit',
    'a key of its footprint has more than 250 bytes',
    footprint([ofVault(xdr.ScVal.scvBytes(Buffer.alloc(200)))]),
  ],
  [
    'archivedSorobanEntries must be sorted in ascending order',
    'it names a restored entry twice',
    { ...footprint([], balances(2)), restored: [1, 1] },
  ],
  [
    'archivedSorobanEntries index is out of bounds',
    'it restores an entry that its footprint lacks',
    { ...footprint([], balances(2)), restored: [2] },
  ],
  [
    'archivedSorobanEntries index points to a non-persistent entry',
    'it restores a temporary entry',
    { ...footprint([], [temporary]), restored: [0] },
  ],
]

const duplicateKey =
  'Found duplicate key in the Soroban footprint; every key across read-only and read-write ' +
  'footprints has to be unique.'

/** stellar-core, TransactionFrame: Soroban transactions that no ledger takes. */
export const sorobanValidityRows = rows({
  'TransactionFrame::validateSorobanOpsConsistency': [
    rejected(
      'txMalformed',
      'a call comes with a payment',
      from(alice, upload(), pay(bob, '1')),
      malformed,
    ),
  ],
  'TransactionFrame::XDRProvidesValidFee': [
    rejected('txMalformed', 'a call declares no resources', upload(), malformed),
    rejected(
      'txMalformed',
      'its resource fee is above its whole fee',
      uploadOf(9_000n, 8_999),
      malformed,
    ),
    rejected('txMalformed', 'its resource fee is negative', uploadOf(-1n), malformed),
    rejected(
      'txMalformed',
      'its resource fee is above 2^50',
      bumped(uploadOf(2n ** 50n + 1n, 100)),
      malformed,
    ),
  ],
  'TransactionFrame::validateSorobanMemo': [
    rejected('txSorobanInvalid', 'it has a memo', calls(transfer(), { memo: Memo.text('hello') }), {
      says: 'Soroban transactions are not allowed to use memo or muxed source account',
    }),
  ],
  'TransactionFrame::checkSorobanResourceAndSetError': limits.map(([says, when, declared]) =>
    rejected('txSorobanInvalid', when, declares(declared), { says }),
  ),
  'TransactionFrame::commonValidPreSeqNum': [
    rejected(
      'txSorobanInvalid',
      'its resource fee is a stroop below the cost',
      calls(transfer(), { spare: -1n }),
      {
        says: 'transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee',
      },
    ),
    rejected(
      'txSorobanInvalid',
      'a key is in both footprints',
      declares({ ...footprint([balance(0)], [balance(0)]), resourceFee: 90_000n }),
      {
        says: duplicateKey,
      },
    ),
  ],
})
