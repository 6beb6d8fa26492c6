import { xdr } from '@stellar/stellar-sdk'
import type { SimulationSuccess } from '../rpc/rpc.ts'
import type { HostInvocation } from './client-envelope.ts'
import { declaredBy, type LedgerResources } from './ledger-resources.ts'

/**
 * One amount for each resource that stellar-core limits in one transaction. It refuses to queue one that declares more; what a call emits
 * and how large its entries are it finds out on the ledger, where the call fails and is charged.
 */
export interface TransactionResources extends Omit<LedgerResources, 'transactions'> {
  readonly footprintEntries: number
  /** The size of the largest key of the footprint. */
  readonly keyBytes: number
  /** The size of all events and the returned value. */
  readonly emittedBytes: number
  /** The size of the largest entry of a contract's data that the call writes. */
  readonly dataEntryBytes: number
  /** The size of the largest contract code that the call writes. */
  readonly codeEntryBytes: number
}

/**
 * Bytes of a settlement's transaction besides its call, its authorization entries and its Soroban data: the channel as source, fee,
 * sequence number, bounds of time and ledger, and the channel's signature.
 */
const TRANSACTION_BYTES = 208
/** An authority is the source of the operation, and signs too. */
const AUTHORITY_BYTES = 36 + 72

/** What a base64 `SorobanTransactionData` declares, and its own size. */
export const resourcesOfData = (transactionData: string) => ({
  ...declaredBy(xdr.SorobanTransactionData.fromXdr(transactionData, 'base64')),
  bytes: Buffer.byteLength(transactionData, 'base64'),
})

/** The resources of one transaction that the settlement of an invocation uses, according to its simulation. */
export function settlementResources(
  { functionXdr, auth }: HostInvocation,
  { transactionData, output }: Pick<SimulationSuccess, 'transactionData' | 'output'>,
  hasAuthority: boolean,
): TransactionResources {
  const data = xdr.SorobanTransactionData.fromXdr(transactionData, 'base64')
  const { readOnly, readWrite } = data.resources.footprint
  const keys = [...readOnly, ...readWrite]
  const signed = [functionXdr, ...auth.map((entry) => entry.xdr)]
  return {
    ...declaredBy(data),
    ...output,
    transactionBytes:
      signed.reduce((sum, { length }) => sum + length, 0) +
      Buffer.byteLength(transactionData, 'base64') +
      TRANSACTION_BYTES +
      (hasAuthority ? AUTHORITY_BYTES : 0),
    footprintEntries: keys.length,
    keyBytes: keys.reduce((most, key) => Math.max(most, key.toXdr().length), 0),
  }
}
