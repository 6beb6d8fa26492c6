import { Keypair } from '@stellar/stellar-sdk'
import { expect } from 'vitest'
import { transactionsAfter, transfersOf, usdcOf } from '../../../support/ledger-view.ts'
import {
  bodyOf,
  draftPayment,
  openWallet,
  type PaymentPlan,
  usdc,
  type Wallet,
} from '../../../support/payments.ts'
import { lumens } from '../cases/ledger.ts'
import { openWorld, type World } from '../world.ts'
import { isHarmless, type Parties } from './change.ts'
import { type ChangeSet, fingerprint, nameOf, problemsOf } from './sets.ts'

const amount = 100_000n

export interface Signing {
  readonly payer: Wallet
  readonly version: NonNullable<PaymentPlan['version']>
}

/** Changes signed payments in transit. The service may accept only what the payer signed, to the unit. */
export class TamperingWorld implements AsyncDisposable {
  readonly smartAccount: Wallet
  readonly #world: World
  readonly #parties: Omit<Parties, 'payer'>
  readonly #start: number
  /** The transfers that payers signed and the service accepted. */
  readonly #accepted: { readonly hash: string; readonly from: string }[] = []

  private constructor(
    world: World,
    smartAccount: Wallet,
    { victim, thief }: Pick<Parties, 'victim' | 'thief'>,
  ) {
    const { sponsor, channel } = world
    this.#world = world
    this.smartAccount = smartAccount
    this.#parties = {
      victim,
      thief,
      sponsor,
      channel,
      otherAsset: lumens,
      otherKey: Keypair.random(),
    }
    this.#start = world.stack.localnet.network.latest.sequence
  }

  static async open(): Promise<TamperingWorld> {
    const assets = [usdc, lumens].map((contract) => ({ contract, symbol: 'ANY', decimals: 7 }))
    const world = await openWorld({
      network: { assets, channelCount: 19 },
      timings: { channelWaitMs: 60_000, confirmWindowMs: 60_000 },
    })
    const { localnet } = world.stack
    const [victim, thief] = [await openWallet(localnet), await openWallet(localnet, 1n)]
    return new TamperingWorld(world, await world.deployer.smartAccount(), { victim, thief })
  }

  get payer(): Wallet {
    return this.#world.payer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]()
  }

  /** Describes each wrong answer of the service. */
  tamperAll(signing: Signing, sets: readonly ChangeSet[]): Promise<string[]> {
    return problemsOf(sets, 16, (made) => this.tamper(signing, made))
  }

  /** Describes a wrong answer of the service to the changes; undefined when the answer is right. */
  async tamper({ payer, version }: Signing, made: ChangeSet): Promise<string | undefined> {
    const { stack, seller } = this.#world
    const { network } = stack.localnet
    const draft = await draftPayment(stack.localnet, {
      payer,
      payTo: seller.address,
      amount,
      version,
      maxTimeoutSeconds: 300,
      // Long enough for all payments of this test, short enough for any estimate of seconds per ledger.
      expirationLedger: network.latest.sequence + 50,
    })
    const before = fingerprint(draft)
    for (const change of made) change.make(draft, { ...this.#parties, payer })
    const isUndone = fingerprint(draft) === before
    const { body: answer } = await stack.post('/settle', bodyOf(draft))
    if (!isUndone && !isHarmless(made)) {
      const isRefused = answer.success === false && answer.transaction === ''
      return isRefused ? undefined : `${nameOf(made)}: ${JSON.stringify(answer)}`
    }
    if (answer.success !== true) {
      return `${nameOf(made)}: ${answer.errorReason}, ${answer.errorMessage}`
    }
    this.#accepted.push({ hash: answer.transaction, from: payer.address })
    const applied = network.transaction(answer.transaction)
    const [only, ...others] = applied ? transfersOf(applied) : []
    const isAsSigned =
      only?.contract === usdc &&
      only.from === payer.address &&
      only.to === seller.address &&
      only.amount === amount &&
      only.id === undefined &&
      others.length === 0
    return isAsSigned ? undefined : `${nameOf(made)}: other transfers than the signed one`
  }

  /** Asserts that the ledger has the transfers which payers signed and the service accepted, and no others. */
  expectOnlySigned(): void {
    const { network } = this.#world.stack.localnet
    const { victim, thief } = this.#parties
    const applied = transactionsAfter(network, this.#start)
    const accepted = this.#accepted
    expect(new Set(applied.map(({ hash }) => hash))).toEqual(
      new Set(accepted.map(({ hash }) => hash)),
    )
    expect(applied.flatMap(transfersOf)).toHaveLength(accepted.length)
    for (const { address } of [this.payer, this.smartAccount]) {
      const payments = accepted.filter(({ from }) => from === address).length
      expect(usdcOf(network, address)).toBe(100_000_000n - amount * BigInt(payments))
    }
    expect(usdcOf(network, victim.address)).toBe(100_000_000n)
    expect(usdcOf(network, thief.address)).toBe(1n)
  }
}
