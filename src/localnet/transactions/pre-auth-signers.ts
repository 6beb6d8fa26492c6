import type { Account } from '../ledger/account.ts'
import type { LedgerTxn } from '../ledger/entry-store.ts'
import { releaseReserve } from '../ledger/sponsorship.ts'
import { loadAccount, storeAccount } from '../ledger/typed-entries.ts'

/**
 * A transaction that was authorized beforehand by its hash is authorized once: takes that signer off
 * `account`, in place, and stores its sponsor. True when there was one.
 */
export function removePreAuthSigner(
  ltx: LedgerTxn,
  account: Account,
  { hash, ledger }: { readonly hash: Uint8Array; readonly ledger: number },
): boolean {
  const used = account.signers.find(
    ({ key }) =>
      key.type === 'signerKeyTypePreAuthTx' && Buffer.compare(key.preAuthTx.value, hash) === 0,
  )
  if (!used) return false
  account.signers = account.signers.filter((signer) => signer !== used)
  const sponsor = used.sponsor && loadAccount(ltx, used.sponsor)
  releaseReserve({ reserves: 1, subEntry: true }, account, sponsor || undefined)
  if (sponsor) storeAccount(ltx, sponsor, ledger)
  return true
}
