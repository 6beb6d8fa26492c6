/** A mutable copy of an AccountEntry, for classic operations. */
import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, accountIdOf, publicKeyOf } from './account-id.ts'

interface AccountSigner {
  readonly key: xdr.SignerKey
  readonly weight: number
  readonly sponsor?: AccountId
}

export interface Account {
  readonly id: AccountId
  balance: bigint
  sequence: bigint
  subEntries: number
  flags: number
  homeDomain: xdr.XdrString
  inflationDestination: xdr.PublicKey | null
  /** Master weight, then the low, medium and high thresholds. */
  thresholds: readonly [master: number, low: number, medium: number, high: number]
  signers: readonly AccountSigner[]
  liabilities: { readonly buying: bigint; readonly selling: bigint }
  sponsored: number
  sponsoring: number
  /** Ledger and close time of the last change of the sequence number (CAP-21); 0 before the first. */
  sequenceLedger: number
  sequenceTime: bigint
  /** Pays the reserve of the account itself. */
  sponsor: AccountId | undefined
  /** An extension stays once written, as in stellar-core. */
  extension: 0 | 1 | 2 | 3
  entryExtended: boolean
}

export const accountFlags = {
  authRequired: 1,
  authRevocable: 2,
  authImmutable: 4,
  clawbackEnabled: 8,
} as const

interface NewAccount {
  readonly id: AccountId
  readonly balance: bigint
  readonly sequence: bigint
}

/** A new account: master weight 1, all thresholds 0. */
export const newAccount = ({ id, balance, sequence }: NewAccount): Account => ({
  id,
  balance,
  sequence,
  subEntries: 0,
  flags: 0,
  homeDomain: new xdr.XdrString(''),
  inflationDestination: null,
  thresholds: [1, 0, 0, 0],
  signers: [],
  liabilities: { buying: 0n, selling: 0n },
  sponsored: 0,
  sponsoring: 0,
  sequenceLedger: 0,
  sequenceTime: 0n,
  sponsor: undefined,
  extension: 0,
  entryExtended: false,
})

export function decodeAccount(entryXdr: Uint8Array): Account {
  const entry = xdr.LedgerEntry.fromXdr(entryXdr)
  if (entry.data.type !== 'account') throw new TypeError(`not an account: ${entry.data.type}`)
  const account = entry.data.account
  const v1 = account.ext.type === 'v1' ? account.ext.v1 : undefined
  const v2 = v1?.ext.type === 'v2' ? v1.ext.v2 : undefined
  const v3 = v2?.ext.type === 'v3' ? v2.ext.v3 : undefined
  const [master = 0, low = 0, medium = 0, high = 0] = account.thresholds.value
  const sponsor = entry.ext.type === 'v1' ? entry.ext.v1.sponsoringId : null
  return {
    id: accountIdOf(account.accountId),
    balance: account.balance,
    sequence: account.seqNum,
    subEntries: account.numSubEntries,
    flags: account.flags,
    homeDomain: account.homeDomain,
    inflationDestination: account.inflationDest,
    thresholds: [master, low, medium, high],
    signers: account.signers.map(({ key, weight }, index) => {
      const sponsoredBy = v2?.signerSponsoringIDs[index]
      return { key, weight, ...(sponsoredBy && { sponsor: accountIdOf(sponsoredBy) }) }
    }),
    liabilities: v1
      ? { buying: v1.liabilities.buying, selling: v1.liabilities.selling }
      : { buying: 0n, selling: 0n },
    sponsored: v2?.numSponsored ?? 0,
    sponsoring: v2?.numSponsoring ?? 0,
    sequenceLedger: v3?.seqLedger ?? 0,
    sequenceTime: v3?.seqTime ?? 0n,
    sponsor: sponsor ? accountIdOf(sponsor) : undefined,
    extension: v3 ? 3 : v2 ? 2 : v1 ? 1 : 0,
    entryExtended: entry.ext.type === 'v1',
  }
}

export function encodeAccount(account: Account, ledger: number): Uint8Array {
  const data = new xdr.AccountEntry({
    accountId: publicKeyOf(account.id),
    balance: account.balance,
    seqNum: account.sequence,
    numSubEntries: account.subEntries,
    inflationDest: account.inflationDestination,
    flags: account.flags,
    homeDomain: account.homeDomain,
    thresholds: Uint8Array.from(account.thresholds),
    signers: account.signers.map(({ key, weight }) => new xdr.Signer({ key, weight })),
    ext: accountExtension(account),
  })
  return new xdr.LedgerEntry({
    lastModifiedLedgerSeq: ledger,
    data: xdr.LedgerEntryData.account(data),
    ext: entryExtension(account.sponsor, account.entryExtended),
  }).toXdr()
}

/** The extension that holds the sponsor; it stays, empty, after the sponsor is removed. */
export function entryExtension(
  sponsor: AccountId | undefined,
  extended: boolean,
): xdr.LedgerEntryExt {
  if (!sponsor && !extended) return xdr.LedgerEntryExt.v0()
  return xdr.LedgerEntryExt.v1(
    new xdr.LedgerEntryExtensionV1({
      sponsoringId: sponsor ? publicKeyOf(sponsor) : null,
      ext: xdr.LedgerEntryExtensionV1Ext.v0(),
    }),
  )
}

function accountExtension(account: Account): xdr.AccountEntryExt {
  const level = extensionLevel(account)
  if (level === 0) return xdr.AccountEntryExt.v0()
  return xdr.AccountEntryExt.v1(
    new xdr.AccountEntryExtensionV1({
      liabilities: new xdr.Liabilities(account.liabilities),
      ext: level === 1 ? xdr.AccountEntryExtensionV1Ext.v0() : secondExtension(account, level),
    }),
  )
}

function secondExtension(account: Account, level: 2 | 3): xdr.AccountEntryExtensionV1Ext {
  const third = () =>
    new xdr.AccountEntryExtensionV3({
      ext: xdr.ExtensionPoint.v0(),
      seqLedger: account.sequenceLedger,
      seqTime: account.sequenceTime,
    })
  return xdr.AccountEntryExtensionV1Ext.v2(
    new xdr.AccountEntryExtensionV2({
      numSponsored: account.sponsored,
      numSponsoring: account.sponsoring,
      signerSponsoringIDs: account.signers.map(({ sponsor }) =>
        sponsor ? publicKeyOf(sponsor) : null,
      ),
      ext:
        level === 3
          ? xdr.AccountEntryExtensionV2Ext.v3(third())
          : xdr.AccountEntryExtensionV2Ext.v0(),
    }),
  )
}

function extensionLevel(account: Account): 0 | 1 | 2 | 3 {
  if (account.extension === 3 || account.sequenceLedger > 0) return 3
  const sponsors =
    account.sponsored > 0 || account.sponsoring > 0 || account.signers.some((it) => it.sponsor)
  if (account.extension === 2 || sponsors) return 2
  const { buying, selling } = account.liabilities
  return account.extension === 1 || buying > 0n || selling > 0n ? 1 : 0
}
