/** The accounts and assets that the table uses. */
import { Asset, type Keypair, StrKey } from '@stellar/stellar-sdk'
import { USDC_ISSUER, usdc } from '../../../../src/localnet/genesis/genesis-assets.ts'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { key, passphrase } from '../harness.ts'

const accounts = {
  alice: key(1),
  bob: key(2),
  carol: key(3),
  dave: key(4),
  erin: key(5),
  issuer: key(6),
  /** Issues REG: requires and revokes authorization, and claws back. */
  regulator: key(7),
  /** Has its reserve and 10,000 stroops for fees. */
  poor: key(8),
  /** Has no account. */
  missing: key(9),
  /** Has no account: for rows that create one. */
  newcomer: key(10),
  /** Has 100 USDC, like the seller. */
  payer: key(11),
  seller: key(12),
  sponsor: key(13),
  /** Without balance, like the authority: the sponsor holds its reserve. */
  channel: key(14),
  authority: key(15),
} as const

export type AccountName = keyof typeof accounts

export const { alice, bob, carol, dave, erin, issuer, regulator, poor, missing, newcomer } =
  accounts
export const { payer, seller, sponsor, channel, authority } = accounts

/** Any account may open a line to USD and use it; a line to REG needs authorization. */
export const USD = new Asset('USD', issuer.publicKey())
export const REG = new Asset('REG', regulator.publicKey())
/** Its issuer has no account. */
export const ORPHAN = new Asset('ORPHAN', missing.publicKey())
export const XLM = Asset.native()

/** Smallest units in one of any asset. */
export const UNIT = 10_000_000n
export const MAX_INT64 = 2n ** 63n - 1n

export const keyOf = (name: AccountName): Keypair => accounts[name]

export const accountOf = (address: string): Keypair | undefined =>
  Object.values(accounts).find((account) => account.publicKey() === address)

/** A contract without code, which holds balances. */
export const vault = StrKey.encodeContract(Buffer.alloc(32, 9))

const names = new Map([
  ...Object.entries(accounts).map(([name, account]) => [account.publicKey(), name] as const),
  [vault, 'vault'],
  [USDC_ISSUER, 'USDC issuer'],
  ...[XLM, USD, REG, usdc].map((asset) => [asset.contractId(passphrase), asset.getCode()] as const),
  [uptoContract(passphrase), 'upto'],
])

/** Of an account or a contract. */
export const nameOf = (address: string): string => names.get(address) ?? address

export const addressOf = (account: Keypair): string => account.publicKey()
