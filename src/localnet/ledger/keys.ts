import { createHash } from 'node:crypto'
import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, publicKeyOf } from './account-id.ts'
import { type EntryKey, entryKey } from './entry-record.ts'

/** ACCOUNT, PUBLIC_KEY_TYPE_ED25519: written by hand, since each transaction needs several account keys. */
const ACCOUNT_KEY_PREFIX = '\0'.repeat(8)

export const accountKey = (id: AccountId): EntryKey =>
  ACCOUNT_KEY_PREFIX + Buffer.from(id, 'hex').toString('latin1')

export const trustlineKey = (id: AccountId, asset: xdr.TrustLineAsset): EntryKey =>
  entryKey(
    xdr.LedgerKey.trustline(
      new xdr.LedgerKeyTrustLine({ accountId: publicKeyOf(id), asset }),
    ).toXdr(),
  )

export const dataKey = (id: AccountId, dataName: xdr.XdrString): EntryKey =>
  entryKey(
    xdr.LedgerKey.data(new xdr.LedgerKeyData({ accountId: publicKeyOf(id), dataName })).toXdr(),
  )

/** The key of a TTL entry is the hash of its contract entry's key (CAP-46-12). */
export const ttlKeyHash = (keyXdr: Uint8Array): Uint8Array =>
  createHash('sha256').update(keyXdr).digest()

export const isContractKey = (key: xdr.LedgerKey): boolean =>
  key.type === 'contractData' || key.type === 'contractCode'

const isTemporaryKey = (key: xdr.LedgerKey): boolean =>
  key.type === 'contractData' && key.contractData.durability.name === 'temporary'

export const isPersistentKey = (key: xdr.LedgerKey): boolean =>
  isContractKey(key) && !isTemporaryKey(key)
