/** Every entry of a ledger as flat names and values, and the difference of two ledgers. */
import { Address, scValToNative, xdr } from '@stellar/stellar-sdk'
import { decodeAccount } from '../../../../src/localnet/ledger/account.ts'
import {
  type AccountId,
  accountIdFromRaw,
  accountIdOf,
  addressOf,
} from '../../../../src/localnet/ledger/account-id.ts'
import { decodeData } from '../../../../src/localnet/ledger/data-entry.ts'
import type { EntryRecord } from '../../../../src/localnet/ledger/entry-record.ts'
import { decodeTrustline } from '../../../../src/localnet/ledger/trustline.ts'
import type { NetworkSnapshot } from '../../../../src/localnet/snapshot/snapshot.ts'
import { nameOf, UNIT } from './accounts.ts'

/** `'alice XLM'` and the like. In a difference: numbers as changes, texts as they are afterwards. */
export type Facts = Readonly<Record<string, bigint | string>>

/**
 * Reads a list such as `'alice XLM -1.5, alice subentries +1, alice home = a.b, alice data x removed'`.
 * Balances and limits are in units of the asset.
 */
export function changesOf(list: string): Facts {
  return Object.fromEntries(list.split(', ').filter(Boolean).map(changeIn))
}

function changeIn(item: string): [string, bigint | string] {
  const { name, sign, number, text } = changePattern.exec(item)?.groups ?? {}
  if (!name) throw new Error(`not a change: ${item}`)
  if (!number) return [name, text ?? '']
  const [whole = '', part = ''] = number.split('.')
  const amount = / (XLM|USDC?|REG|limit)$/.test(name)
    ? BigInt(whole) * UNIT + BigInt(part.padEnd(7, '0'))
    : BigInt(number)
  return [name, sign === '-' ? -amount : amount]
}

const changePattern =
  /^(?<name>.+?) (?:(?<sign>[+-])(?<number>\d+(?:\.\d{1,7})?)|= (?<text>.+)|removed)$/

export function factsOf({ entries, state }: NetworkSnapshot): Facts {
  const facts: Record<string, bigint | string> = {}
  for (const [, record] of entries) {
    for (const [name, fact] of Object.entries(entryFacts(record, state.sequence))) {
      // An account may have several nonces.
      facts[name] = typeof fact === 'bigint' ? fact + BigInt(facts[name] ?? 0n) : fact
    }
  }
  return facts
}

function entryFacts(record: EntryRecord, ledger: number): Facts {
  const { entry } = record
  const { data } = xdr.LedgerEntry.fromXdr(entry)
  switch (data.type) {
    case 'account':
      return accountFacts(entry, BigInt(ledger))
    case 'trustline':
      return trustlineFacts(entry)
    case 'data':
      return dataFacts(entry)
    case 'contractData':
      return contractFacts(data.contractData, lifetimeOf(record, ledger))
    case 'contractCode':
      return { code: 1n }
    default:
      return {}
  }
}

function accountFacts(entry: Uint8Array, ledger: bigint): Facts {
  const account = decodeAccount(entry)
  const { inflationDestination: destination } = account
  const name = shortName(account.id)
  const signers = account.signers.map(({ key, weight, sponsor }) => [
    `${name} signer ${signerOf(key)}`,
    `weight ${weight}${bySponsor(sponsor)}`,
  ])
  return {
    [`${name} account`]: 1n,
    [`${name} XLM`]: account.balance,
    // New accounts start at the first number of their ledger.
    [`${name} sequence`]: account.sequence === ledger << 32n ? 'initial' : account.sequence,
    [`${name} subentries`]: BigInt(account.subEntries),
    [`${name} sponsoring`]: BigInt(account.sponsoring),
    [`${name} sponsored`]: BigInt(account.sponsored),
    [`${name} flags`]: BigInt(account.flags),
    [`${name} thresholds`]: account.thresholds.join('/'),
    [`${name} home`]: String(account.homeDomain),
    [`${name} inflation destination`]: shortName(
      destination ? accountIdOf(destination) : undefined,
    ),
    [`${name} sponsor`]: shortName(account.sponsor),
    ...Object.fromEntries(signers),
  }
}

function signerOf(key: xdr.SignerKey): string {
  if (key.type === 'signerKeyTypePreAuthTx') return 'by hash'
  if (key.type !== 'signerKeyTypeEd25519') return key.toXdr('base64')
  return shortName(accountIdFromRaw(key.ed25519.value))
}

function trustlineFacts(entry: Uint8Array): Facts {
  const line = decodeTrustline(entry)
  const name = `${shortName(line.account)} ${assetCode(line.asset)}`
  return {
    [`${name} line`]: 1n,
    [name]: line.balance,
    [`${name} limit`]: line.limit,
    [`${name} flags`]: BigInt(line.flags),
    [`${name} sponsor`]: shortName(line.sponsor),
  }
}

function dataFacts(entry: Uint8Array): Facts {
  const data = decodeData(entry)
  const name = `${shortName(data.account)} data ${String(data.name)}`
  const value = Buffer.from(data.value.value).toString()
  return { [name]: `${value}${bySponsor(data.sponsor)}` }
}

/** Ledgers that are left, where the last ledger set it. */
const lifetimeOf = ({ liveUntil = 0, liveUntilSetAt }: EntryRecord, ledger: number): string =>
  liveUntilSetAt === ledger ? `${liveUntil - ledger} ledgers` : ''

function contractFacts({ contract, key, val }: xdr.ContractDataEntry, lifetime: string): Facts {
  const owner = nameOf(Address.fromScAddress(contract).toString())
  if (key.type === 'scvLedgerKeyNonce') return { [`${owner} nonce`]: 1n }
  if (key.type === 'scvLedgerKeyContractInstance') return { [`${owner} instance lives`]: lifetime }
  const parts: unknown = scValToNative(key)
  const [kind, who] = [parts].flat()
  const name = kind === 'Balance' ? `${textOf(who)} ${owner}` : `${owner} ${textOf(parts)}`
  const { amount } = Object(scValToNative(val))
  const fact = amount === undefined ? textOf(scValToNative(val)) : BigInt(amount)
  return { [name]: fact, [`${name} lives`]: lifetime }
}

/** Names for addresses, hexadecimal digits for bytes. */
const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(textOf).join(' ')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value !== 'object' || value === null) return nameOf(String(value))
  return Object.entries(value).flat().map(textOf).join(' ')
}

const shortName = (id: AccountId | undefined): string => (id ? nameOf(addressOf(id)) : '')

const bySponsor = (sponsor: AccountId | undefined): string =>
  sponsor ? ` (sponsor ${shortName(sponsor)})` : ''

function assetCode(asset: xdr.TrustLineAsset): string {
  if (!asset.value || !('assetCode' in asset.value)) return asset.type
  return Buffer.from(asset.value.assetCode.value).toString().replaceAll('\0', '')
}

/** A number that is missing counts as zero, a text as empty. */
export function difference(before: Facts, after: Facts): Facts {
  const changes: Record<string, bigint | string> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    // The sequence number of a removed account is removed with it.
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

/** Adds to a number of the facts. */
export function added(facts: Facts, name: string, amount: bigint): Facts {
  const present = facts[name] ?? 0n
  if (typeof present === 'string') throw new TypeError(`${name} is no number`)
  const { [name]: _, ...others } = facts
  const sum = present + amount
  return sum === 0n ? others : { ...others, [name]: sum }
}
