/** Who and what the table is about. */
import { Asset, type Keypair } from '@stellar/stellar-sdk'
import { key } from '../harness.ts'

export const people = {
  alice: key(1),
  bob: key(2),
  carol: key(3),
  dave: key(4),
  erin: key(5),
  issuer: key(6),
  warden: key(7),
  poor: key(8),
  /** Has no account. */
  nobody: key(9),
  /** Has no account either. */
  newcomer: key(10),
} as const

export const { alice, bob, carol, dave, erin, issuer, warden, poor, nobody, newcomer } = people

/** Whoever likes may hold OWN; WRD only with its warden's leave, who may also take it away. */
export const assets = {
  OWN: new Asset('OWN', issuer.publicKey()),
  WRD: new Asset('WRD', warden.publicKey()),
  /** Nobody holds it, and its issuer has no account. */
  GHOST: new Asset('GHOST', nobody.publicKey()),
  XLM: Asset.native(),
} as const

export const { OWN, WRD, GHOST, XLM } = assets

/** Smallest units in one of anything. */
export const UNIT = 10_000_000n
export const RESERVE = UNIT / 2n
export const MAX_INT64 = 2n ** 63n - 1n

export const nameOf = (address: string): string =>
  Object.entries(people).find(([, person]) => person.publicKey() === address)?.[0] ?? address

export const addressOf = (person: Keypair): string => person.publicKey()
