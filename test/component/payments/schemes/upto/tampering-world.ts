import { Keypair } from '@stellar/stellar-sdk'
import { expect } from 'vitest'
import type { AppliedTransaction } from '../../../../../src/localnet/closing/history.ts'
import { isReasonCode } from '../../../../../src/payments/protocol/reasons.ts'
import { transactionsAfter, transfersOf, usdcOf } from '../../../../support/ledger-view.ts'
import {
  bodyOf,
  i128,
  openWallet,
  type PaymentDraft,
  usdc,
  type Wallet,
} from '../../../../support/payments.ts'
import { draftUptoPayment } from '../../../../support/upto-payments.ts'
import { lumens } from '../../cases/ledger.ts'
import { isHarmless, type Parties } from '../../tampering/change.ts'
import { type ChangeSet, fingerprint, nameOf, problemsOf } from '../../tampering/sets.ts'
import { asAuthority, Outsider } from './as-authority.ts'
import { ACTUAL, CEILING } from './tampering-changes.ts'
import { countSettlements, latest, openUptoWorld, type UptoWorld } from './upto-world.ts'

/**
 * Changes signed payments in the scheme `upto` in transit. The service may settle only what the payer signed: the
 * amount of the requirements, within the ceiling, to the recipient.
 */
export class UptoTamperingWorld implements AsyncDisposable {
  readonly smartAccount: Wallet
  readonly #world: UptoWorld
  readonly #parties: Omit<Parties, 'payer'>
  readonly #outsider: Outsider
  readonly #start: number
  /** What the ledger took of another sender. */
  readonly #unchecked: AppliedTransaction[] = []
  /** The payments that payers signed and the service accepted. */
  readonly #accepted: { readonly hash: string; readonly amount: bigint }[] = []

  private constructor(
    world: UptoWorld,
    { smartAccount, victim, thief }: Pick<Parties, 'victim' | 'thief'> & { smartAccount: Wallet },
    outsider: Outsider,
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
    this.#outsider = outsider
    this.#start = latest(world)
  }

  static async open(): Promise<UptoTamperingWorld> {
    const assets = [usdc, lumens].map((contract) => ({ contract, symbol: 'ANY', decimals: 7 }))
    const world = await openUptoWorld({
      network: { assets, channelCount: 19 },
      timings: { channelWaitMs: 60_000, confirmWindowMs: 60_000 },
    })
    const { localnet } = world.stack
    const [victim, thief] = [await openWallet(localnet), await openWallet(localnet, 1n)]
    const smartAccount = await world.deployer.smartAccount()
    const outsider = await Outsider.open(localnet)
    return new UptoTamperingWorld(world, { smartAccount, victim, thief }, outsider)
  }

  get payer(): Wallet {
    return this.#world.payer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]()
  }

  /** Describes each wrong answer of the service. */
  tamperAll(payer: Wallet, sets: readonly ChangeSet[]): Promise<string[]> {
    return problemsOf(sets, 8, (made) => this.#tamper(payer, made))
  }

  /** Describes a wrong answer of the service to the changes; undefined when the answer is right. */
  async #tamper(payer: Wallet, made: ChangeSet): Promise<string | undefined> {
    const { stack } = this.#world
    const draft = await this.#draftOf(payer)
    const before = fingerprint(draft)
    for (const change of made) change.make(draft, { ...this.#parties, payer })
    const isUndone = fingerprint(draft) === before
    const body = bodyOf(draft)
    const { body: answer } = await stack.post('/settle', body)
    const names = nameOf(made)
    if (!isUndone && !isHarmless(made)) {
      const { success, transaction, errorReason } = answer
      const isRefused = success === false && transaction === '' && isReasonCode(errorReason)
      return isRefused ? undefined : `${names}: ${JSON.stringify(answer)}`
    }
    if (answer.success !== true) return `${names}: ${answer.errorReason}, ${answer.errorMessage}`
    const amount = BigInt(String(body.paymentRequirements['amount']))
    this.#accepted.push({ hash: answer.transaction, amount })
    if (answer.amount !== `${amount}`) return `${names}: the answer says ${answer.amount}`
    const applied = stack.localnet.network.transaction(answer.transaction)
    const effect = applied ? transfersOf(applied) : []
    const [only] = effect
    const isAsSigned =
      effect.length === 1 &&
      only?.contract === usdc &&
      only.from === payer.address &&
      only.to === this.#seller &&
      only.amount === amount
    return isAsSigned ? undefined : `${names}: ${JSON.stringify(effect, (_, v) => String(v))}`
  }

  /** Describes what the ledger took, although the payer had not signed it; or had, and it was taken already. */
  async settleUnchecked(payer: Wallet, made: ChangeSet): Promise<string[]> {
    const draft = await this.#draftOf(payer)
    draft.call.args[6] = i128(CEILING)
    for (const change of made) change.make(draft, { ...this.#parties, payer })
    const sent = asAuthority(draft, this.#world.authority)
    const applied = await this.#outsider.send(sent)
    const names = nameOf(made)
    if (typeof applied === 'string') {
      return made.length > 0 ? [] : [`refused as signed: ${applied}`]
    }
    this.#unchecked.push(applied)
    const wrong = transfersOf(applied).filter(
      ({ contract, from, to, amount }) =>
        contract !== usdc || from !== payer.address || to !== this.#seller || amount > CEILING,
    )
    const again = await this.#outsider.send(sent)
    return [
      ...(wrong.length > 0 || transfersOf(applied).length > 1 ? [`${names}: moved more`] : []),
      ...(typeof again === 'string' ? [] : [`${names}: settled twice`]),
    ]
  }

  /** Asserts that store and ledger have the settlements that were answered, and no others. */
  async expectOnlyAnswered(): Promise<void> {
    const { stack, payer } = this.#world
    const { network } = stack.localnet
    const [accepted, unchecked] = [this.#accepted, this.#unchecked]
    const others = new Set(unchecked.map(({ hash }) => hash))
    const applied = transactionsAfter(network, this.#start).filter(({ hash }) => !others.has(hash))
    expect(new Set(applied.map(({ hash }) => hash))).toEqual(
      new Set(accepted.map(({ hash }) => hash)),
    )
    expect(applied.flatMap(transfersOf)).toHaveLength(accepted.length)
    expect(await countSettlements(stack)).toBe(accepted.length)
    const paid =
      accepted.reduce((sum, { amount }) => sum + amount, 0n) +
      unchecked.flatMap(transfersOf).reduce((sum, { amount }) => sum + amount, 0n)
    const payers = [payer, this.smartAccount]
    const holdings = payers.map(({ address }) => usdcOf(network, address) ?? 0n)
    expect(holdings.reduce((sum, each) => sum + each)).toBe(200_000_000n - paid)
    expect(usdcOf(network, this.#seller)).toBe(1n + paid)
    expect(usdcOf(network, this.#parties.victim.address)).toBe(100_000_000n)
    expect(usdcOf(network, this.#parties.thief.address)).toBe(1n)
  }

  get #seller(): string {
    return this.#world.seller.address
  }

  #draftOf(payer: Wallet): Promise<PaymentDraft> {
    const { stack, service } = this.#world
    return draftUptoPayment(stack.localnet, service, {
      payer,
      payTo: this.#seller,
      ceiling: CEILING,
      amount: ACTUAL,
      maxTimeoutSeconds: 300,
      // Long enough for all payments of this test, short enough for any estimate of seconds per ledger.
      expirationLedger: latest(this.#world) + 50,
    })
  }
}
