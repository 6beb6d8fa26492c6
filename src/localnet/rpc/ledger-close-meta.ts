/**
 * LedgerCloseMeta XDR of a closed ledger, built from the history. Concatenates XDR: to decode the parts
 * and encode them again would cost more than all the rest of an answer.
 */
import { Buffer } from 'node:buffer'
import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction, ClosedLedger } from '../closing/history.ts'
import { ttlKeyHash } from '../ledger/keys.ts'
import type { MetaVersion } from '../transactions/apply/meta.ts'
import { encodeTxSet, FIRST_CLUSTER } from '../transactions/set/tx-set.ts'
import { xdrInt64, xdrList, xdrUint32 } from '../transactions/xdr-bytes.ts'

const NO_EXTENSION = xdrUint32(0)
const NONE = xdrList([])
/** Localnet does not add up the size of the contract state. */
const STATE_SIZE = xdrInt64(0n)

/** Version 2 goes with TransactionMeta version 4, and version 1 with 3. */
export function ledgerCloseMeta(ledger: ClosedLedger, metaVersion: MetaVersion): Uint8Array {
  const { headerXdr, transactions } = ledger
  const [upgrades, scpInfo, unused] = [NONE, NONE, NONE]
  return Buffer.concat([
    xdrUint32(metaVersion === 4 ? 2 : 1),
    NO_EXTENSION,
    headerXdr,
    transactionSet(ledger),
    xdrList(transactions.map((it) => processing(it, metaVersion))),
    upgrades,
    scpInfo,
    STATE_SIZE,
    xdrList(ledger.evictedKeys.flatMap(withTtlKey)),
    ...(metaVersion === 4 ? [] : [unused]),
  ])
}

/** An entry is evicted together with its TTL entry (CAP-62). */
const withTtlKey = (key: Uint8Array): Uint8Array[] => [
  key,
  xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl({ keyHash: new xdr.Hash(ttlKeyHash(key)) })).toXdr(),
]

/** LedgerHeaderHistoryEntry XDR begins with the hash, the protocol and the hash of the previous ledger. */
const PREVIOUS_HASH_AT = 32 + 4

/** The history has the classic transactions first. */
function transactionSet({ headerXdr, transactions, fees, baseFees }: ClosedLedger): Uint8Array {
  const classic = transactions.slice(0, fees.classic.length)
  const soroban = transactions.slice(fees.classic.length)
  return encodeTxSet({
    previousHash: headerXdr.subarray(PREVIOUS_HASH_AT, PREVIOUS_HASH_AT + 32),
    baseFees,
    classic: classic.map(({ envelopeXdr }) => envelopeXdr),
    soroban: soroban.map(({ envelopeXdr, cluster = FIRST_CLUSTER }) => ({ envelopeXdr, cluster })),
  })
}

/** TransactionResultMetaV1 XDR, or TransactionResultMeta XDR for version 3. */
function processing(transaction: AppliedTransaction, metaVersion: MetaVersion): Uint8Array {
  const { hash, resultXdr, feeChangesXdr, resultMetaXdr, refundChangesXdr } = transaction
  const common = [Buffer.from(hash, 'hex'), resultXdr, feeChangesXdr, resultMetaXdr]
  return metaVersion === 4
    ? Buffer.concat([NO_EXTENSION, ...common, refundChangesXdr])
    : Buffer.concat(common)
}
