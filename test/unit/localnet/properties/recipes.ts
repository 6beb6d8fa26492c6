/**
 * How operations come about: one entry for each kind. A plan holds indexes and choices only, and is
 * written when it is submitted, against the ledger of that moment. Many plans are bound to fail.
 */
import { Account, type Asset, type Keypair, MuxedAccount, Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { accountFlags } from '../../../../src/localnet/ledger/account.ts'
import { accountIdOf, addressOf, unmuxed } from '../../../../src/localnet/ledger/account-id.ts'
import { minimumBalance } from '../../../../src/localnet/ledger/reserves.ts'
import { smaller } from '../../../../src/localnet/ledger/smaller.ts'
import { MAX_INT64 } from '../../../../src/localnet/ledger/trustline.ts'
import { account, type Op, trustline } from '../harness.ts'
import { amountOf, decimal, share } from './amounts.ts'
import { actor, asset, assets, newcomer, type Town, who } from './town.ts'

/** One or several operations that belong together. */
export interface Scene {
  readonly write: (town: Town) => readonly Op[]
}

interface Recipe<Plan> {
  readonly weight: number
  readonly plan: fc.Arbitrary<Plan>
  readonly write: (plan: Plan, town: Town) => Op | readonly Op[]
}

const anyAsset = fc.nat({ max: assets.length - 1 })
/** Those whose issuer is an actor. */
const ownAsset = fc.integer({ min: 1, max: 3 })
const issuerOf = (which: number): Keypair => actor(which - 1)

/** Names its plan when a counterexample is told. */
function scene<Plan>(
  name: string,
  { weight, plan, write }: Recipe<Plan>,
): fc.WeightedArbitrary<Scene> {
  const arbitrary = plan.map((chosen) => ({
    write: (town: Town) => [write(chosen, town)].flat(),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(chosen)}`,
  }))
  return { weight, arbitrary }
}

const payable = (payee: Keypair, muxed: boolean): string =>
  muxed ? new MuxedAccount(new Account(payee.publicKey(), '0'), '7').accountId() : payee.publicKey()

interface Payment {
  readonly asset: Asset
  readonly from: Keypair
  readonly to: Keypair
  readonly muxed: boolean
  readonly amount: bigint
}

const payment = ({ asset: paid, from, to, muxed, amount }: Payment): Op =>
  Operation.payment({
    asset: paid,
    amount: decimal(amount),
    destination: payable(to, muxed),
    source: from.publicKey(),
  })

const pay = scene('payment', {
  weight: 8,
  plan: fc.record({ from: who, to: who, which: anyAsset, amount: share, muxed: fc.boolean() }),
  write: (plan, town) => {
    const parties = { asset: asset(plan.which), from: actor(plan.from), to: actor(plan.to) }
    return payment({ ...parties, muxed: plan.muxed, amount: amountOf(town, plan.amount, parties) })
  },
})

const mintOrBurn = scene('mint or burn', {
  weight: 4,
  plan: fc.record({ which: ownAsset, other: who, mint: fc.boolean(), amount: share }),
  write: ({ which, other, mint, amount }, town) => {
    const [from, to] = mint ? [issuerOf(which), actor(other)] : [actor(other), issuerOf(which)]
    const parties = { asset: asset(which), from, to }
    return payment({ ...parties, muxed: false, amount: amountOf(town, amount, parties) })
  },
})

const startingBalances = ['0', '0.9999999', '1', '1.5', '20'] as const

const createAccount = scene('createAccount', {
  weight: 4,
  plan: fc.record({ by: who, who: newcomer, balance: fc.constantFrom(...startingBalances) }),
  write: (plan) =>
    Operation.createAccount({
      source: actor(plan.by).publicKey(),
      destination: actor(plan.who).publicKey(),
      startingBalance: plan.balance,
    }),
})

const limits = ['none', 'belowBalance', 'balance', 'aboveBalance', 'most'] as const

const changeTrust = scene('changeTrust', {
  weight: 6,
  plan: fc.record({ who, which: anyAsset, limit: fc.constantFrom(...limits) }),
  write: ({ who: holder, which, limit }, { net }) => {
    const balance = trustline(net, actor(holder), asset(which))?.balance ?? 0n
    const wanted = {
      none: 0n,
      belowBalance: balance > 0n ? balance - 1n : 0n,
      balance,
      aboveBalance: balance + 10n,
      most: MAX_INT64,
    }
    return Operation.changeTrust({
      source: actor(holder).publicKey(),
      // The SDK has no words for a trustline to lumens.
      asset: asset(which === 0 ? 1 : which),
      limit: decimal(smaller(wanted[limit], MAX_INT64)),
    })
  },
})

const accountMerge = scene('accountMerge', {
  weight: 3,
  plan: fc.record({ who, into: who }),
  write: (plan) =>
    Operation.accountMerge({
      source: actor(plan.who).publicKey(),
      destination: actor(plan.into).publicKey(),
    }),
})

const signer = scene('setOptions signer', {
  weight: 3,
  plan: fc.record({ who, signer: who, weight: fc.constantFrom(0, 1, 1, 255) }),
  write: (plan) =>
    Operation.setOptions({
      source: actor(plan.who).publicKey(),
      signer: { ed25519PublicKey: actor(plan.signer).publicKey(), weight: plan.weight },
    }),
})

const flags = scene('setOptions flags', {
  weight: 1,
  plan: fc.record({
    which: ownAsset,
    set: fc.constantFrom(0, ...Object.values(accountFlags)),
    clear: fc.constantFrom(0, ...Object.values(accountFlags)),
  }),
  write: ({ which, set, clear }) =>
    Operation.setOptions({
      source: issuerOf(which).publicKey(),
      // An issuer that can change nothing any more would end half of the stories.
      setFlags: set & ~accountFlags.authImmutable,
      clearFlags: clear,
    }),
})

const thresholds = scene('setOptions thresholds', {
  weight: 1,
  plan: fc.record({ who, masterWeight: fc.constantFrom(0, 1, 2), high: fc.constantFrom(0, 1, 2) }),
  write: (plan) =>
    Operation.setOptions({
      source: actor(plan.who).publicKey(),
      masterWeight: plan.masterWeight,
      highThreshold: plan.high,
    }),
})

const manageData = scene('manageData', {
  weight: 3,
  plan: fc.record({
    who,
    name: fc.constantFrom('a', 'b'),
    value: fc.constantFrom('one', 'two', null, null),
  }),
  write: (plan) => Operation.manageData({ ...plan, source: actor(plan.who).publicKey() }),
})

const bumpSequence = scene('bumpSequence', {
  weight: 1,
  plan: fc.record({ who, by: fc.constantFrom(-1n, 0n, 1n, 10n, 2n ** 33n) }),
  write: ({ who: bumped, by }, { net }) => {
    const to = (account(net, actor(bumped))?.sequence ?? 0n) + by
    return Operation.bumpSequence({
      source: actor(bumped).publicKey(),
      bumpTo: (to < 0n ? 0n : to).toString(),
    })
  },
})

const lineFlags = [
  ...[{ authorized: true }, { authorized: false }, { clawbackEnabled: false }],
  ...[{ authorizedToMaintainLiabilities: true }, { authorizedToMaintainLiabilities: false }],
  { authorized: false, authorizedToMaintainLiabilities: true },
  { authorized: true, authorizedToMaintainLiabilities: true },
]

const authorization = scene('setTrustLineFlags', {
  weight: 2,
  plan: fc.record({ who, which: ownAsset, flags: fc.constantFrom(...lineFlags) }),
  write: (plan) =>
    Operation.setTrustLineFlags({
      source: issuerOf(plan.which).publicKey(),
      trustor: actor(plan.who).publicKey(),
      asset: asset(plan.which),
      flags: plan.flags,
    }),
})

const clawback = scene('clawback', {
  weight: 2,
  plan: fc.record({ from: who, which: ownAsset, amount: share }),
  write: (plan, town) => {
    const parties = { asset: asset(plan.which), from: actor(plan.from), to: undefined }
    return Operation.clawback({
      source: issuerOf(plan.which).publicKey(),
      asset: parties.asset,
      from: parties.from.publicKey(),
      amount: decimal(amountOf(town, plan.amount, parties)),
    })
  },
})

const revocable = ['account', 'trustline', 'data', 'signer'] as const

const revokeSponsorship = scene('revokeSponsorship', {
  weight: 4,
  plan: fc.record({
    by: who,
    who,
    what: fc.constantFrom(...revocable),
    which: ownAsset,
    other: who,
  }),
  write: (plan) => revocation(plan),
})

interface Revocation {
  readonly by: number
  readonly who: number
  readonly what: (typeof revocable)[number]
  readonly which: number
  readonly other: number
}

function revocation({ by, who: owner, what, which, other }: Revocation): Op {
  const source = actor(by).publicKey()
  const holder = actor(owner).publicKey()
  switch (what) {
    case 'account':
      return Operation.revokeAccountSponsorship({ source, account: holder })
    case 'trustline':
      return Operation.revokeTrustlineSponsorship({ source, account: holder, asset: asset(which) })
    case 'data':
      return Operation.revokeDataSponsorship({ source, account: holder, name: 'a' })
    case 'signer':
      return Operation.revokeSignerSponsorship({
        source,
        account: holder,
        signer: { ed25519PublicKey: actor(other).publicKey() },
      })
  }
}

/** A payment that leaves its source with nothing above its reserve: the next entry cannot be paid. */
const spendAll = scene('spend all', {
  weight: 2,
  plan: fc.record({ from: who, to: who, left: fc.constantFrom(-1n, 0n, 200n, 5_000_000n) }),
  write: ({ from, to, left }, { net }) => {
    const found = account(net, actor(from))
    const free = found ? found.balance - minimumBalance(found) - left : 1n
    const parties = { asset: asset(0), from: actor(from), to: actor(to) }
    return payment({ ...parties, muxed: false, amount: free > 0n ? free : 1n })
  },
})

const alone: readonly fc.WeightedArbitrary<Scene>[] = [
  ...[pay, mintOrBurn, createAccount, changeTrust, accountMerge, signer, flags, thresholds],
  ...[manageData, bumpSequence, authorization, clawback, revokeSponsorship, spendAll],
]

/** What a sponsor may pay for, and what ends or moves a sponsorship. */
const sponsored = fc.oneof(
  ...[createAccount, changeTrust, signer, manageData, revokeSponsorship, accountMerge],
)

const sandwich: fc.WeightedArbitrary<Scene> = {
  weight: 10,
  arbitrary: fc
    .record({
      by: who,
      ward: who,
      filling: sponsored,
      // Mostly for what the filling makes, so that there is something to pay for.
      forWhom: fc.constantFrom('filling', 'filling', 'filling', 'ward'),
      ends: fc.constantFrom(true, true, true, true, true, true, true, false),
    })
    .map(({ by, ward, filling, forWhom, ends }) => ({
      write: (town: Town) => {
        const inside = filling.write(town)
        const sponsoredId = (forWhom === 'filling' && ownerOf(inside)) || actor(ward).publicKey()
        const source = actor(by).publicKey()
        const begin = Operation.beginSponsoringFutureReserves({ source, sponsoredId })
        const end = Operation.endSponsoringFutureReserves({ source: sponsoredId })
        return [begin, ...inside, ...(ends ? [end] : [])]
      },
      [fc.toStringMethod]: () =>
        `sponsored by ${by} for ${forWhom === 'filling' ? 'its owner' : ward}` +
        `${ends ? '' : ' without end'}: ${fc.stringify(filling)}`,
    })),
}

/** Who would own the entry that an operation makes. */
function ownerOf([operation]: readonly Op[]): string | undefined {
  if (!operation) return undefined
  const { body, sourceAccount } = operation
  if (body.type === 'createAccount') {
    return addressOf(accountIdOf(body.createAccountOp.destination))
  }
  return sourceAccount ? addressOf(unmuxed(sourceAccount)) : undefined
}

export const scenes: fc.Arbitrary<Scene> = fc.oneof(...alone, sandwich)
