import { Address, xdr } from '@stellar/stellar-sdk'

interface AppliedNonces {
  /** The nonces of one address that the transaction used. */
  readonly used: ReadonlySet<bigint>
  /** Number of operations that the meta is about. */
  readonly operations: number
}

/**
 * The nonces of an address (`G...` or `C...`) that a transaction used up, by its `TransactionMeta`. When the host uses an
 * authorization entry, for whatever call, it creates an entry of the ledger with the nonce as key (CAP-46-11); it takes
 * that back with everything else that a failed call did. So an entry of the transaction has authorized something if and
 * only if its nonce is here. Throws for meta of another form, such as that of protocols before contracts, and for meta
 * without any change.
 */
export function usedNonces(meta: Uint8Array, address: string): AppliedNonces {
  const operations = operationsOf(xdr.TransactionMeta.fromXdr(meta))
  const changes = operations.flatMap((operation) => operation.changes)
  if (changes.length === 0) throw new RangeError('the meta of a transaction has no changes')
  return { used: new Set(changes.flatMap(nonceOf(address))), operations: operations.length }
}

function operationsOf(meta: xdr.TransactionMeta): readonly { changes: xdr.LedgerEntryChange[] }[] {
  switch (meta.type) {
    case 'v3':
      return meta.v3.operations
    case 'v4':
      return meta.v4.operations
    default:
      throw new RangeError(`the meta of a transaction is of type ${meta.type}`)
  }
}

const nonceOf =
  (address: string) =>
  (change: xdr.LedgerEntryChange): readonly bigint[] => {
    // The host deletes no nonce, and a state is the one before an update.
    if (change.type === 'ledgerEntryRemoved' || change.type === 'ledgerEntryState') return []
    const { data } = change.value
    if (data.type !== 'contractData') return []
    const { key, contract } = data.contractData
    if (key.type !== 'scvLedgerKeyNonce') return []
    return Address.fromScAddress(contract).toString() === address ? [key.nonceKey.nonce] : []
  }
