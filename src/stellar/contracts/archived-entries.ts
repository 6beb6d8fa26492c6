import { Address, xdr } from '@stellar/stellar-sdk'

/** Archived parts of contracts that a call needs restored. */
export interface ArchivedContracts {
  /** `C...`, of archived instances. */
  readonly instances: readonly string[]
  /** Whether code is archived, of whichever contract. */
  readonly hasCode: boolean
}

/**
 * Since protocol 23 a transaction can name archived entries for the ledger to restore; undefined when it names none.
 *
 * @param transactionData base64 `SorobanTransactionData` of a simulation
 */
export function archivedEntriesOf(transactionData: string): ArchivedContracts | undefined {
  const { ext, resources } = xdr.SorobanTransactionData.fromXdr(transactionData, 'base64')
  if (ext.type !== 'resourceExt') return undefined
  const indexes = ext.resourceExt.archivedSorobanEntries
  if (indexes.length === 0) return undefined
  const { readWrite } = resources.footprint
  return contractsAmong(indexes.flatMap((index) => readWrite[index] ?? []))
}

/** @param transactionData base64 `SorobanTransactionData` of a `restorePreamble` */
export const restoredEntriesOf = (transactionData: string): ArchivedContracts =>
  contractsAmong(
    xdr.SorobanTransactionData.fromXdr(transactionData, 'base64').resources.footprint.readWrite,
  )

const contractsAmong = (keys: readonly xdr.LedgerKey[]): ArchivedContracts => ({
  instances: keys.flatMap((key) =>
    key.type === 'contractData' && key.contractData.key.type === 'scvLedgerKeyContractInstance'
      ? [Address.fromScAddress(key.contractData.contract).toString()]
      : [],
  ),
  hasCode: keys.some(({ type }) => type === 'contractCode'),
})
