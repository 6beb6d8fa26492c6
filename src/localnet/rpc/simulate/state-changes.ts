import { xdr } from '@stellar/stellar-sdk'
import type { StateChange } from '../../soroban/simulate.ts'
import type { XdrFields } from '../reads/xdr-fields.ts'

/** The changes of the ledger; Stellar RPC omits an empty list. */
export function stateChanges(changes: readonly StateChange[], fields: XdrFields) {
  const changed = changes.flatMap((change) => {
    const entry = change.after ?? change.before
    // An entry created and deleted within the call does not change the ledger.
    return entry ? [{ ...describe(change), ...members(change, entry, fields) }] : []
  })
  return changed.length === 0 ? {} : { stateChanges: changed }
}

function describe({ before, after }: StateChange): { type: 'created' | 'updated' | 'deleted' } {
  if (!before) return { type: 'created' }
  return { type: after ? 'updated' : 'deleted' }
}

function members({ before, after }: StateChange, entry: Uint8Array, fields: XdrFields) {
  const key = ledgerKeyOf(xdr.LedgerEntry.fromXdr(entry).data)
  const beforeNames = ['before', 'beforeJson'] as const
  const afterNames = ['after', 'afterJson'] as const
  return {
    ...fields.one(['key', 'keyJson'], xdr.LedgerKey, key.toXdr()),
    before: null,
    after: null,
    ...(before ? fields.one(beforeNames, xdr.LedgerEntry, before) : {}),
    ...(after ? fields.one(afterNames, xdr.LedgerEntry, after) : {}),
  }
}

/** The kinds of entries a host function can write. */
function ledgerKeyOf(data: xdr.LedgerEntryData): xdr.LedgerKey {
  switch (data.type) {
    case 'account':
      return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: data.account.accountId }))
    case 'trustline': {
      const { accountId, asset } = data.trustLine
      return xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine({ accountId, asset }))
    }
    case 'contractData': {
      const { contract, key, durability } = data.contractData
      return xdr.LedgerKey.contractData(
        new xdr.LedgerKeyContractData({ contract, key, durability }),
      )
    }
    case 'contractCode':
      return xdr.LedgerKey.contractCode(
        new xdr.LedgerKeyContractCode({ hash: data.contractCode.hash }),
      )
    default:
      throw new Error(`a host function cannot write an entry of type ${data.type}`)
  }
}
