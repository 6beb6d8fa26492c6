/** Everything classic that a ledger holds, as flat names and values, and what differs between two of them. */
import { xdr } from '@stellar/stellar-sdk'
import { decodeAccount } from '../../../../src/localnet/ledger/account.ts'
import { type AccountId, addressOf } from '../../../../src/localnet/ledger/account-id.ts'
import { decodeData } from '../../../../src/localnet/ledger/data-entry.ts'
import { decodeTrustline } from '../../../../src/localnet/ledger/trustline.ts'
import type { NetworkSnapshot } from '../../../../src/localnet/snapshot/snapshot.ts'
import { nameOf } from './people.ts'

/** `'alice XLM'` and the like; numbers are told as differences, texts as they are afterwards. */
export type Facts = Readonly<Record<string, bigint | string>>

export function factsOf({ entries, state }: NetworkSnapshot): Facts {
  const facts: Record<string, bigint | string> = {}
  for (const [, { entry }] of entries) {
    Object.assign(facts, entryFacts(entry, BigInt(state.sequence)))
  }
  return facts
}

function entryFacts(entry: Uint8Array, ledger: bigint): Facts {
  switch (xdr.LedgerEntry.fromXdr(entry).data.type) {
    case 'account':
      return accountFacts(entry, ledger)
    case 'trustline':
      return trustlineFacts(entry)
    case 'data':
      return dataFacts(entry)
    default:
      return {}
  }
}

function accountFacts(entry: Uint8Array, ledger: bigint): Facts {
  const account = decodeAccount(entry)
  const name = shortName(account.id)
  const signers = account.signers.map(({ key, weight, sponsor }) => [
    `${name} signer ${signerOf(key)}`,
    `weight ${weight}${heldBy(sponsor)}`,
  ])
  return {
    [`${name} exists`]: 1n,
    [`${name} XLM`]: account.balance,
    // New accounts begin with their ledger's first number.
    [`${name} sequence`]: account.sequence === ledger << 32n ? 'begun' : account.sequence,
    [`${name} subentries`]: BigInt(account.subEntries),
    [`${name} sponsoring`]: BigInt(account.sponsoring),
    [`${name} sponsored`]: BigInt(account.sponsored),
    [`${name} flags`]: BigInt(account.flags),
    [`${name} thresholds`]: account.thresholds.join('/'),
    [`${name} home`]: String(account.homeDomain),
    [`${name} heir`]: account.inflationDestination ? 'named' : '',
    [`${name} sponsor`]: heldBy(account.sponsor),
    ...Object.fromEntries(signers),
  }
}

const signerOf = (key: xdr.SignerKey): string =>
  key.type === 'signerKeyTypePreAuthTx' ? 'by hash' : key.toXdr('base64')

function trustlineFacts(entry: Uint8Array): Facts {
  const line = decodeTrustline(entry)
  const name = `${shortName(line.account)} ${assetCode(line.asset)}`
  return {
    [`${name} line`]: 1n,
    [name]: line.balance,
    [`${name} limit`]: line.limit,
    [`${name} flags`]: BigInt(line.flags),
    [`${name} sponsor`]: heldBy(line.sponsor),
  }
}

function dataFacts(entry: Uint8Array): Facts {
  const data = decodeData(entry)
  const name = `${shortName(data.account)} data ${String(data.name)}`
  const value = Buffer.from(data.value.value).toString()
  return { [name]: `${value}${heldBy(data.sponsor)}` }
}

const shortName = (id: AccountId): string => nameOf(addressOf(id))

const heldBy = (sponsor: AccountId | undefined): string =>
  sponsor ? ` held by ${shortName(sponsor)}` : ''

function assetCode(asset: xdr.TrustLineAsset): string {
  if (!asset.value || !('assetCode' in asset.value)) return asset.type
  return Buffer.from(asset.value.assetCode.value).toString().replaceAll('\0', '')
}

/** What is gone counts as nothing; a text that is gone is told as empty. */
export function difference(before: Facts, after: Facts): Facts {
  const changes: Record<string, bigint | string> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    // An account that is gone takes its number along.
    if (name.endsWith(' sequence') && after[name] === undefined) continue
    const change = changeOf(before[name], after[name])
    if (change !== undefined) changes[name] = change
  }
  return changes
}

function changeOf(
  before: bigint | string | undefined,
  after: bigint | string | undefined,
): bigint | string | undefined {
  if (typeof before === 'string' || typeof after === 'string') {
    return (before ?? '') === (after ?? '') ? undefined : (after ?? '')
  }
  const change = (after ?? 0n) - (before ?? 0n)
  return change === 0n ? undefined : change
}

/** Sums numbers of the same name. */
export function added(facts: Facts, name: string, amount: bigint): Facts {
  const present = facts[name] ?? 0n
  if (typeof present === 'string') throw new TypeError(`${name} is no number`)
  const { [name]: _, ...others } = facts
  const sum = present + amount
  return sum === 0n ? others : { ...others, [name]: sum }
}
