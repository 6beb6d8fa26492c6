/** A localnet that records its input, so that a scenario can run again. */
import { type Asset, type Keypair, Operation } from '@stellar/stellar-sdk'
import type { AppliedTransaction, ClosedLedger } from '../../../../src/localnet/closing/history.ts'
import type { FaucetRequest } from '../../../../src/localnet/faucet/transaction.ts'
import type { Localnet } from '../../../../src/localnet/network.ts'
import { rootKeypair } from '../../../../src/localnet/root-account.ts'
import type { FakeClock } from '../../../support/fake-clock.ts'
import { build, bytesOf, codes, type Op, openNetwork } from '../harness.ts'
import { prepare } from '../soroban-harness.ts'
import { create, data, pay, signer, sponsored, trust } from '../table/operations.ts'
import { actor, actorsIn, asset, issuerOf, strict } from './accounts.ts'

/** The input of one ledger, in order. */
export interface LedgerInput {
  /** Unix milliseconds at the time of closing. */
  readonly closedAt: number
  readonly requests: readonly Request[]
}

type Request = { readonly envelope: Uint8Array } | { readonly gift: FaucetRequest }

/** The network, its whole input and its log. */
export class RecordedNetwork {
  readonly net: Localnet
  readonly clock: FakeClock
  readonly startedAt: number
  readonly inputs: LedgerInput[] = []
  readonly log: string[]
  #requests: Request[] = []

  constructor() {
    const log: string[] = []
    const { net, clock } = openNetwork({ log: (line) => log.push(line) })
    this.net = net
    this.clock = clock
    this.log = log
    this.startedAt = clock.now()
  }

  /** Differs at every step of a scenario. */
  get stepId(): string {
    return `${this.inputs.length}.${this.#requests.length}`
  }

  /** Every envelope so far. */
  get sent(): Uint8Array[] {
    const all = [...this.inputs.flatMap(({ requests }) => requests), ...this.#requests]
    return all.flatMap((it) => ('envelope' in it ? [it.envelope] : []))
  }

  submit(envelope: Uint8Array): ReturnType<Localnet['submit']> {
    this.#requests.push({ envelope })
    return this.net.submit(envelope)
  }

  faucet(gift: FaucetRequest): void {
    this.#requests.push({ gift })
    // The ledger shows whether the faucet could pay.
    this.net.faucet(gift).catch(() => undefined)
  }

  async close(): Promise<ClosedLedger> {
    await this.clock.advance(5_000)
    this.inputs.push({ closedAt: this.clock.now(), requests: this.#requests })
    this.#requests = []
    return this.net.closeLedger()
  }
}

/** Lumens of the first twelve accounts; the last two are close to their reserve. */
const startingBalances = [
  ...['1000', '1000', '1000', '500', '500', '500', '500', '100', '100', '100'],
  ...['1.6', '2.1'],
]
/** Sponsors entries of others, which a scenario may revoke. */
const sponsor = actor(8)
const [sponsoredAccounts, sponsoredOwner] = [[actor(12), actor(13)], actor(9)] as const
const holders = [3, 4, 5, 6, 7].map(actor)
const credits = [1, 2, 3] as const
/** AUTH_REVOCABLE and AUTH_CLAWBACK_ENABLED. */
const REVOCABLE_AND_CLAWBACK = 0b1010

/** Creates the accounts, their trustlines and balances, and the contract of every asset. */
export async function openRecordedNetwork(): Promise<RecordedNetwork> {
  const network = new RecordedNetwork()
  const root = rootKeypair(network.net.networkId)
  for (const operations of setup()) await applyOperations(network, root, operations)
  for (const which of credits) await deploy(network, root, asset(which))
  return network
}

const setup = (): readonly (readonly Op[])[] => [
  startingBalances.map((balance, index) => create(actor(index), balance)),
  [
    Operation.setOptions({ source: strict, setFlags: REVOCABLE_AND_CLAWBACK }),
    ...sponsoredAccounts.flatMap((account) =>
      sponsored(sponsor, account, create(account, '0.5', sponsor)),
    ),
    ...sponsored(
      sponsor,
      sponsoredOwner,
      trust(asset(1), '1000', sponsoredOwner),
      data('a', 'one', sponsoredOwner),
      signer(actor(4), 1, sponsoredOwner),
    ),
  ],
  [
    ...credits.flatMap((which) => holders.map((it) => trust(asset(which), '1000', it))),
    ...credits.flatMap((which) =>
      holders.slice(1).map((it) => pay(it, '250', asset(which), issuerOf(which))),
    ),
  ],
]

async function deploy(network: RecordedNetwork, source: Keypair, credit: Asset): Promise<void> {
  const call = await prepare(network.net, Operation.createStellarAssetContract({ asset: credit }), {
    source,
  })
  const fee = (call.data.resourceFee + 100n).toString()
  await applyNow(network, bytesOf(build(network.net, { source, call, fee })))
}

async function applyOperations(
  network: RecordedNetwork,
  source: Keypair,
  operations: readonly Op[],
): Promise<void> {
  const signers = [source, ...actorsIn(operations)]
  await applyNow(network, bytesOf(build(network.net, { source, operations, signers })))
}

async function applyNow(
  network: RecordedNetwork,
  envelope: Uint8Array,
): Promise<AppliedTransaction> {
  const { hash, status, resultXdr } = network.submit(envelope)
  await network.close()
  const applied = network.net.transaction(hash)
  if (applied?.successful) return applied
  const result = applied?.resultXdr ?? resultXdr
  throw new Error(`the setup failed: ${status} ${result ? codes(result).join(' ') : ''}`)
}
