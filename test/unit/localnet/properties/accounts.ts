/** The keys, accounts, assets and contracts of scenarios. */
import { Asset, type Keypair, StrKey } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { usdc } from '../../../../src/localnet/genesis/genesis-assets.ts'
import { addressOf, unmuxed } from '../../../../src/localnet/ledger/account-id.ts'
import { key, type Op, passphrase } from '../harness.ts'

/** Keys that no other test uses: 12 of accounts, 2 of sponsored accounts, 6 without account. */
export const actors: readonly Keypair[] = Array.from({ length: 20 }, (_, n) => key(100 + n))

export const actor = (index: number): Keypair => {
  const found = actors[index]
  if (!found) throw new RangeError(`no actor ${index}`)
  return found
}

/** Mostly accounts with balances; a few that do not exist. */
export const who: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 3, max: 9 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 13 }) },
  { weight: 1, arbitrary: fc.integer({ min: 14, max: 19 }) },
)

/** Accounts with trustlines. */
export const holder: fc.Arbitrary<number> = fc.integer({ min: 3, max: 7 })

/** Mostly keys without account. */
export const newcomer: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 14, max: 19 }) },
  { weight: 1, arbitrary: who },
)

/** The first three are issuers of an asset each, in the order of `assets`. */
export const strict = actor(2).publicKey()

/** Lumens, a short and a long code, one whose issuer may freeze and claw back, and the faucet's USDC. */
export const assets: readonly Asset[] = [
  Asset.native(),
  new Asset('FOUR', actor(0).publicKey()),
  new Asset('TWELVECHARS', actor(1).publicKey()),
  new Asset('STRICT', strict),
  usdc,
]

export const asset = (index: number): Asset => {
  const found = assets[index]
  if (!found) throw new RangeError(`no asset ${index}`)
  return found
}

export const anyAsset: fc.Arbitrary<number> = fc.nat({ max: assets.length - 1 })
/** Assets whose issuer is an actor. */
export const ownAsset: fc.Arbitrary<number> = fc.integer({ min: 1, max: 3 })
export const issuerOf = (which: number): Keypair => actor(which - 1)

/** They have no code; asset contracts keep balances for them all the same. */
export const contracts: readonly string[] = [1, 2].map((n) =>
  StrKey.encodeContract(Buffer.alloc(32, n)),
)

/** The actors that are sources of the operations. */
export function actorsIn(operations: readonly Op[]): Keypair[] {
  const sources = operations.flatMap(({ sourceAccount }) =>
    sourceAccount ? [addressOf(unmuxed(sourceAccount))] : [],
  )
  return actors.filter((it) => sources.includes(it.publicKey()))
}

/** C addresses of the contracts of the assets, in their order. */
export const assetContracts: readonly string[] = assets.map((it) => it.contractId(passphrase))
