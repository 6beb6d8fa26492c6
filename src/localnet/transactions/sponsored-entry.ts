/** Sponsorable entries and signers: their owner, reserves and sponsor. */
import type { xdr } from '@stellar/stellar-sdk'
import { type AccountId, accountIdOf } from '../ledger/account-id.ts'
import type { LedgerReader } from '../ledger/entry-store.ts'
import type { LedgerTxn } from '../ledger/ledger-txn.ts'
import type { EntryCost } from '../ledger/sponsorship.ts'
import {
  loadAccount,
  loadData,
  loadTrustline,
  requireAccount,
  storeAccount,
  storeData,
  storeTrustline,
} from '../ledger/typed-entries.ts'

export interface SponsoredEntry {
  readonly owner: AccountId
  readonly reserves: EntryCost['reserves']
  readonly sponsor: AccountId | undefined
  /** Stores the entry with this sponsor or, if undefined, without one. */
  assign(ltx: LedgerTxn, sponsor: AccountId | undefined, ledger: number): void
}

/** Undefined when there is no such entry or signer. */
export const findSponsored = (
  reader: LedgerReader,
  target: xdr.RevokeSponsorshipOp,
): SponsoredEntry | undefined =>
  target.type === 'revokeSponsorshipSigner'
    ? signerOf(reader, target.signer)
    : entryOf(reader, target.ledgerKey)

function entryOf(reader: LedgerReader, key: xdr.LedgerKey): SponsoredEntry | undefined {
  switch (key.type) {
    case 'account':
      return accountOf(reader, key.account)
    case 'trustline':
      return trustlineOf(reader, key.trustLine)
    case 'data':
      return dataOf(reader, key.data)
    default:
      // Localnet has no offers and no claimable balances.
      return undefined
  }
}

function accountOf(reader: LedgerReader, key: xdr.LedgerKeyAccount): SponsoredEntry | undefined {
  const owner = accountIdOf(key.accountId)
  const account = loadAccount(reader, owner)
  return (
    account && {
      owner,
      reserves: 2,
      sponsor: account.sponsor,
      assign: (ltx, sponsor, ledger) =>
        // Loaded again, because its reserve counts may have changed.
        storeAccount(ltx, { ...requireAccount(ltx, owner), sponsor }, ledger),
    }
  )
}

function trustlineOf(
  reader: LedgerReader,
  key: xdr.LedgerKeyTrustLine,
): SponsoredEntry | undefined {
  const owner = accountIdOf(key.accountId)
  const line = loadTrustline(reader, owner, key.asset)
  return (
    line && {
      owner,
      reserves: 1,
      sponsor: line.sponsor,
      assign: (ltx, sponsor, ledger) => storeTrustline(ltx, { ...line, sponsor }, ledger),
    }
  )
}

function dataOf(reader: LedgerReader, key: xdr.LedgerKeyData): SponsoredEntry | undefined {
  const owner = accountIdOf(key.accountId)
  const data = loadData(reader, owner, key.dataName)
  return (
    data && {
      owner,
      reserves: 1,
      sponsor: data.sponsor,
      assign: (ltx, sponsor, ledger) => storeData(ltx, { ...data, sponsor }, ledger),
    }
  )
}

function signerOf(
  reader: LedgerReader,
  { accountId, signerKey }: xdr.RevokeSponsorshipOpSigner,
): SponsoredEntry | undefined {
  const owner = accountIdOf(accountId)
  const signer = loadAccount(reader, owner)?.signers.find(({ key }) => key.equals(signerKey))
  return (
    signer && {
      owner,
      reserves: 1,
      sponsor: signer.sponsor,
      assign: (ltx, sponsor, ledger) => {
        const account = requireAccount(ltx, owner)
        account.signers = account.signers.map(({ key, weight, sponsor: present }) => {
          const holder = key.equals(signerKey) ? sponsor : present
          return { key, weight, ...(holder && { sponsor: holder }) }
        })
        storeAccount(ltx, account, ledger)
      },
    }
  )
}
