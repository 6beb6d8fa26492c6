/** Where stories take place: twenty keys, most of them accounts, their assets and two contracts. */
import { Asset, type Keypair, Operation, StrKey } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import type { FaucetRequest } from '../../../../src/localnet/faucet/transaction.ts'
import { rootKeypair } from '../../../../src/localnet/genesis.ts'
import { usdc } from '../../../../src/localnet/genesis-assets.ts'
import type { AppliedTransaction, ClosedLedger } from '../../../../src/localnet/history.ts'
import { addressOf, unmuxed } from '../../../../src/localnet/ledger/account-id.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import type { FakeClock } from '../../../support/fake-clock.ts'
import { build, bytesOf, codes, key, type Op, openNetwork, passphrase } from '../harness.ts'
import { prepare } from '../soroban-harness.ts'

/** Keys nobody else in the tests has. */
export const actors: readonly Keypair[] = Array.from({ length: 20 }, (_, n) => key(100 + n))

export const actor = (index: number): Keypair => {
  const found = actors[index]
  if (!found) throw new RangeError(`no actor ${index}`)
  return found
}

/** Mostly those who have something; a few are not there yet. */
export const who: fc.Arbitrary<number> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 3, max: 9 }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 13 }) },
  { weight: 1, arbitrary: fc.integer({ min: 14, max: 19 }) },
)

/** Somebody with trustlines. */
export const holder: fc.Arbitrary<number> = fc.integer({ min: 3, max: 7 })

/** Mostly somebody who is not there yet. */
export const newcomer: fc.Arbitrary<number> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 14, max: 19 }) },
  { weight: 1, arbitrary: who },
)

/** The first three are issuers of an asset each, in the order of `assets`. */
const strict = actor(2).publicKey()

/** Lumens, a short and a long code, one whose issuer may freeze and claw back, and the faucet's dollars. */
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
/** Those whose issuer is an actor. */
export const ownAsset: fc.Arbitrary<number> = fc.integer({ min: 1, max: 3 })
export const issuerOf = (which: number): Keypair => actor(which - 1)

/** Nobody runs them; the asset contracts keep balances for them all the same. */
export const contracts: readonly string[] = [1, 2].map((n) =>
  StrKey.encodeContract(Buffer.alloc(32, n)),
)

/** What one ledger was made of, in order: enough to make it again. */
export interface Page {
  /** Unix milliseconds at the time of closing. */
  readonly closedAt: number
  readonly entered: readonly Entered[]
}

export type Entered = { readonly envelope: Uint8Array } | { readonly gift: FaucetRequest }

/** A network of the tests' own, all that was ever handed to it, and what it complained about. */
export class Town {
  readonly net: Localnet
  readonly clock: FakeClock
  readonly startedAt: number
  readonly pages: Page[] = []
  readonly log: string[]
  #entered: Entered[] = []

  constructor() {
    const log: string[] = []
    const { net, clock } = openNetwork({ log: (line) => log.push(line) })
    this.net = net
    this.clock = clock
    this.log = log
    this.startedAt = clock.now()
  }

  /** Another word at every step of a story. */
  get moment(): string {
    return `${this.pages.length}.${this.#entered.length}`
  }

  /** Every envelope so far. */
  get sent(): Uint8Array[] {
    const all = [...this.pages.flatMap(({ entered }) => entered), ...this.#entered]
    return all.flatMap((it) => ('envelope' in it ? [it.envelope] : []))
  }

  submit(envelope: Uint8Array): ReturnType<Localnet['submit']> {
    this.#entered.push({ envelope })
    return this.net.submit(envelope)
  }

  give(gift: FaucetRequest): void {
    this.#entered.push({ gift })
    // Whether it could be given is told by the ledger; nobody waits for the answer.
    this.net.faucet(gift).catch(() => undefined)
  }

  async close(): Promise<ClosedLedger> {
    await this.clock.advance(5_000)
    this.pages.push({ closedAt: this.clock.now(), entered: this.#entered })
    this.#entered = []
    return this.net.closeLedger()
  }
}

/** Lumens of the first twelve, who pay for themselves: rich, middling, and at the edge of their reserve. */
const startingBalances = [
  ...['1000', '1000', '1000', '500', '500', '500', '500', '100', '100', '100'],
  ...['1.6', '2.1'],
]
/** Pays for the entries of others, which may come to an end in a story. */
const patron = actor(8).publicKey()

/** Everyone on the stage, with trustlines, some credit and every asset's contract. */
export async function openTown(): Promise<Town> {
  const town = new Town()
  const root = rootKeypair(town.net.networkId)
  const create = startingBalances.map((startingBalance, index) =>
    Operation.createAccount({ destination: actor(index).publicKey(), startingBalance }),
  )
  await enact(town, root, create)
  const flags = Operation.setOptions({ source: strict, setFlags: REVOCABLE_AND_CLAWBACK })
  await enact(town, root, [flags, ...wards()])
  await enact(town, root, [...trustlines(), ...firstCredit()])
  for (const credit of assets.slice(1, 4)) await deploy(town, root, credit)
  return town
}

/** Two accounts that live on a sponsor's reserve, and entries of others. */
const wards = (): Op[] => [
  ...[12, 13].flatMap((ward) =>
    sponsored(
      ward,
      Operation.createAccount({
        destination: actor(ward).publicKey(),
        startingBalance: '0.5',
        source: patron,
      }),
    ),
  ),
  ...sponsored(
    9,
    Operation.changeTrust({ asset: asset(1), source: actor(9).publicKey() }),
    Operation.manageData({ name: 'a', value: 'one', source: actor(9).publicKey() }),
    Operation.setOptions({
      signer: { ed25519PublicKey: actor(4).publicKey(), weight: 1 },
      source: actor(9).publicKey(),
    }),
  ),
]

const sponsored = (ward: number, ...operations: readonly Op[]): Op[] => [
  Operation.beginSponsoringFutureReserves({
    sponsoredId: actor(ward).publicKey(),
    source: patron,
  }),
  ...operations,
  Operation.endSponsoringFutureReserves({ source: actor(ward).publicKey() }),
]

/** AUTH_REVOCABLE and AUTH_CLAWBACK_ENABLED. */
const REVOCABLE_AND_CLAWBACK = 0b1010
const holders = [3, 4, 5, 6, 7]

const trustlines = (): Op[] =>
  [1, 2, 3].flatMap((which) =>
    holders.map((holder) =>
      Operation.changeTrust({
        asset: asset(which),
        limit: '1000',
        source: actor(holder).publicKey(),
      }),
    ),
  )

const firstCredit = (): Op[] =>
  [1, 2, 3].flatMap((which) =>
    holders.slice(1).map((holder) =>
      Operation.payment({
        asset: asset(which),
        amount: '250',
        destination: actor(holder).publicKey(),
        source: issuerOf(which).publicKey(),
      }),
    ),
  )

async function deploy(town: Town, source: Keypair, credit: Asset): Promise<void> {
  const call = await prepare(town.net, Operation.createStellarAssetContract({ asset: credit }), {
    source,
  })
  const fee = (call.data.resourceFee + 100n).toString()
  const { operation, data } = call
  const transaction = build(town.net, { source, operations: [operation], sorobanData: data, fee })
  await applyNow(town, bytesOf(transaction))
}

async function enact(town: Town, source: Keypair, operations: readonly Op[]): Promise<void> {
  const signers = [source, ...actorsIn(operations)]
  await applyNow(town, bytesOf(build(town.net, { source, operations, signers })))
}

async function applyNow(town: Town, envelope: Uint8Array): Promise<AppliedTransaction> {
  const { hash, status, resultXdr } = town.submit(envelope)
  await town.close()
  const applied = town.net.transaction(hash)
  if (applied?.successful) return applied
  const result = applied?.resultXdr ?? resultXdr
  throw new Error(`the town does not open: ${status} ${result ? codes(result).join(' ') : ''}`)
}

/** Whoever is the source of an operation, once each. */
export function actorsIn(operations: readonly Op[]): Keypair[] {
  const sources = operations.flatMap(({ sourceAccount }) =>
    sourceAccount ? [addressOf(unmuxed(sourceAccount))] : [],
  )
  return actors.filter((it) => sources.includes(it.publicKey()))
}

/** The ids of the contracts of the town's assets, in their order. */
export const assetContracts: readonly string[] = assets.map((it) => it.contractId(passphrase))
