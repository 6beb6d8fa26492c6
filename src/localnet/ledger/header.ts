/** Ledger headers, chained by hash as stellar-core chains them. */
import { createHash, type Hash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { BASE_FEE } from '../transactions/fees/fees.ts'
import { keyXdr } from './entry-record.ts'
import type { EntryChange } from './ledger-txn.ts'
import { BASE_RESERVE } from './reserves.ts'

/** State carried from ledger to ledger besides the entries. */
export interface LastClosedLedger {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
  readonly hash: Uint8Array
  /** Stroops charged as fees since genesis. */
  readonly feePool: bigint
  readonly stateHash: Uint8Array
}

/** In stroops: 100 billion XLM, as at the genesis of testnet. */
export const TOTAL_COINS = 100_000_000_000n * 10_000_000n

export interface ValueSigner {
  /** StellarValueExt XDR. */
  signValue(txSetHash: Uint8Array, closeTime: bigint): Uint8Array
}

interface NextLedger {
  readonly previous: LastClosedLedger
  readonly sequence: number
  readonly protocol: number
  readonly closeTime: number
  readonly feePool: bigint
  readonly transactionSetHash: Uint8Array
  readonly resultSetHash: Uint8Array
  readonly stateHash: Uint8Array
  /** Operations of classic transactions in one ledger. */
  readonly maxOperations: number
  /** Signs the ledger's value; absent at genesis, which no validator proposed. */
  readonly node?: ValueSigner
}

export interface ClosedHeader {
  readonly state: LastClosedLedger
  /** LedgerHeaderHistoryEntry XDR. */
  readonly headerXdr: Uint8Array
}

const ZERO_HASH = new Uint8Array(32)
export function closeHeader(next: NextLedger): ClosedHeader {
  const { sequence } = next
  const closeTime = BigInt(next.closeTime)
  const header = new xdr.LedgerHeader({
    ledgerVersion: next.protocol,
    previousLedgerHash: next.previous.hash,
    scpValue: new xdr.StellarValue({
      txSetHash: next.transactionSetHash,
      closeTime,
      upgrades: [],
      ext: xdr.StellarValueExt.stellarValueBasic(),
    }),
    txSetResultHash: next.resultSetHash,
    bucketListHash: next.stateHash,
    ledgerSeq: sequence,
    totalCoins: TOTAL_COINS,
    feePool: next.feePool,
    inflationSeq: 0,
    idPool: 0n,
    baseFee: Number(BASE_FEE),
    baseReserve: Number(BASE_RESERVE),
    maxTxSetSize: next.maxOperations,
    skipList: [ZERO_HASH, ZERO_HASH, ZERO_HASH, ZERO_HASH],
    ext: xdr.LedgerHeaderExt.v0(),
  })
  const unsigned = header.toXdr()
  const extension = next.node?.signValue(next.transactionSetHash, closeTime)
  const signed = extension ? withValueExtension(unsigned, extension) : unsigned
  const hash = sha256(signed)
  const { feePool, stateHash } = next
  const state = { sequence, closeTime: next.closeTime, hash, feePool, stateHash }
  return { state, headerXdr: Buffer.concat([hash, signed, NO_EXTENSION]) }
}

/** The extension of a LedgerHeaderHistoryEntry, after hash and header: version 0. */
const NO_EXTENSION = new Uint8Array(4)

/** After protocol, previous hash, hash of the transaction set, close time and the empty list of upgrades. */
const VALUE_EXTENSION_AT = 4 + 32 + 32 + 8 + 4

/** Replaces the four bytes of a basic value: to encode the signature with the header takes much longer. */
const withValueExtension = (header: Uint8Array, extension: Uint8Array): Uint8Array =>
  Buffer.concat([
    header.subarray(0, VALUE_EXTENSION_AT),
    extension,
    header.subarray(VALUE_EXTENSION_AT + 4),
  ])

/** Parent of the first ledger. */
export const genesisParent: LastClosedLedger = {
  sequence: 0,
  closeTime: 0,
  hash: ZERO_HASH,
  feePool: 0n,
  stateHash: ZERO_HASH,
}

/**
 * Replaces the hash of stellar-core's bucket list, which localnet does not have: a hash chain over the
 * changes of each ledger. The same history gives the same hash.
 */
export class StateHash {
  readonly #hash: Hash

  constructor(previous: Uint8Array) {
    this.#hash = createHash('sha256').update(previous)
  }

  add({ key, after }: EntryChange): void {
    const lifetime = Buffer.alloc(4)
    lifetime.writeUInt32BE(after?.liveUntil ?? 0)
    this.#hash
      .update(keyXdr(key))
      .update(after?.entry ?? ZERO_HASH)
      .update(lifetime)
  }

  digest(): Uint8Array {
    return this.#hash.digest()
  }
}

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
