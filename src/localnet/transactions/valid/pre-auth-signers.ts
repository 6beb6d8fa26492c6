import type { Account } from '../../ledger/account.ts'
import type { LedgerTxn } from '../../ledger/ledger-txn.ts'
import { releaseReserve } from '../../ledger/sponsorship.ts'
import { loadAccount, storeAccount } from '../../ledger/typed-entries.ts'
import type { LedgerContext } from '../../soroban/ledger-context.ts'
import type { Transaction } from '../envelope.ts'
import { sourceOf } from './operation-signatures.ts'

/**
 * Removes the pre-authorized transaction signer that `hash` used up from `account`, in place, and stores
 * its sponsor (stellar-core's removeOneTimeSigner). True when there was one.
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

/** For the sources of a transaction and of its operations. */
export function removePreAuthSigners(
  ltx: LedgerTxn,
  transaction: Transaction,
  { sequence }: LedgerContext,
): void {
  const sources = new Set(transaction.operations.map((it) => sourceOf(it, transaction)))
  for (const id of sources.add(transaction.source)) {
    const account = loadAccount(ltx, id)
    const removed =
      account && removePreAuthSigner(ltx, account, { hash: transaction.hash, ledger: sequence })
    if (removed) storeAccount(ltx, account, sequence)
  }
}
