import type { Keypair } from '@stellar/stellar-sdk'
import { USDC_ISSUER, usdc } from '../genesis/genesis-assets.ts'
import { uptoContract } from '../genesis/upto-contract.ts'
import type { Localnet } from '../network.ts'
import type { LocalnetServer } from '../server/server.ts'
import type { NetworkSnapshot } from '../snapshot/snapshot.ts'
import { Deployer } from './deployer.ts'
import type {
  ContractArguments,
  EmbeddedNetwork,
  FundedAmounts,
  LedgerFacts,
  LedgerSnapshot,
  PublicKeyHolder,
} from './embedded-network.ts'
import { readFunding } from './funding.ts'
import type { TravelClock } from './travel-clock.ts'

/** The usual time between two ledgers of testnet and pubnet. */
const SECONDS_PER_LEDGER = 5

interface Deps {
  readonly network: Localnet
  readonly server: LocalnetServer
  /** That of the network. */
  readonly clock: TravelClock
  /** Whether `fund` and `deploy` close the ledgers that they need. */
  readonly closesOnDemand: boolean
}

interface SnapshotContent {
  readonly network: NetworkSnapshot
  readonly aheadMs: number
}

/** Contents of the snapshots of all networks in the process, so that one can continue from the snapshot of another. */
const contents = new WeakMap<LedgerSnapshot, SnapshotContent>()

export class RunningNetwork implements EmbeddedNetwork {
  readonly rpcUrl: string
  readonly networkPassphrase: string
  readonly usdc: EmbeddedNetwork['usdc']
  readonly uptoContract: string
  readonly #deps: Deps
  readonly #deployer: Deployer

  constructor(deps: Deps) {
    const { network, server } = deps
    this.#deps = deps
    this.#deployer = new Deployer({ ...deps, rpcUrl: server.rpcUrl })
    this.rpcUrl = server.rpcUrl
    this.networkPassphrase = network.passphrase
    this.usdc = {
      code: 'USDC',
      issuer: USDC_ISSUER,
      contract: usdc.contractId(network.passphrase),
    }
    this.uptoContract = uptoContract(network.passphrase)
  }

  get latestLedger(): LedgerFacts {
    return factsOf(this.#deps.network.latest)
  }

  now(): number {
    return this.#deps.clock.now()
  }

  fund(amounts?: FundedAmounts): Promise<Keypair>
  fund<Account extends string | PublicKeyHolder>(
    account: Account,
    amounts?: FundedAmounts,
  ): Promise<Account>
  async fund(
    first: string | PublicKeyHolder | FundedAmounts = {},
    second?: FundedAmounts,
  ): Promise<string | PublicKeyHolder> {
    const { network, closesOnDemand } = this.#deps
    const { account, requests } = readFunding(first, second)
    const payments = requests.map((request) => network.faucet(request))
    // Requested before the close, and awaited together, because either can fail.
    await Promise.all([...payments, closesOnDemand && network.closeLedger()])
    return account
  }

  deploy(
    wasm: Uint8Array | string | URL,
    constructorArguments?: ContractArguments,
  ): Promise<string> {
    return this.#deployer.deploy(wasm, constructorArguments)
  }

  async closeLedger(): Promise<LedgerFacts> {
    return factsOf(await this.#deps.network.closeLedger())
  }

  async travel(seconds: number): Promise<LedgerFacts> {
    if (!Number.isSafeInteger(seconds) || seconds < 1) {
      throw new RangeError(`travel takes a positive number of whole seconds, not ${seconds}`)
    }
    const { network, clock } = this.#deps
    const ledgers = Math.max(1, Math.round(seconds / SECONDS_PER_LEDGER))
    clock.aheadMs += seconds * 1000
    try {
      return factsOf(await network.travel({ seconds, ledgers }))
    } catch (error) {
      clock.aheadMs -= seconds * 1000
      throw error
    }
  }

  async snapshot(): Promise<LedgerSnapshot> {
    const network = await this.#deps.network.snapshot()
    const latest = network.ledgers.at(-1) ?? this.#deps.network.latest
    const snapshot = Object.freeze(factsOf(latest))
    contents.set(snapshot, { network, aheadMs: this.#deps.clock.aheadMs })
    return snapshot
  }

  async restore(snapshot: LedgerSnapshot): Promise<void> {
    const content = contents.get(snapshot)
    if (!content) throw new TypeError('this is not a snapshot that a network of this process took')
    await this.#deps.network.restore(content.network)
    this.#deps.clock.aheadMs = content.aheadMs
  }

  close(): Promise<void> {
    return this.#deps.server.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const factsOf = ({ sequence, closeTime, hash }: LedgerFacts): LedgerFacts => ({
  sequence,
  closeTime,
  hash,
})
