/** Operations that create, remove and change accounts. */
import fc from 'fast-check'
import { accountFlags } from '../../../../../src/localnet/ledger/account.ts'
import { account as accountOf } from '../../harness.ts'
import {
  bumpTo,
  create,
  data,
  merge,
  options,
  signer as setSigner,
} from '../../table/operations.ts'
import { actor, issuerOf, newcomer, ownAsset, who } from '../accounts.ts'
import { operationPlan } from './operation-plan.ts'

const startingBalances = ['0', '0.9999999', '1', '1.5', '20'] as const

export const createAccount = operationPlan('createAccount', {
  weight: 4,
  plan: fc.record({ by: who, who: newcomer, balance: fc.constantFrom(...startingBalances) }),
  write: (plan) => create(actor(plan.who), plan.balance, actor(plan.by)),
})

export const accountMerge = operationPlan('accountMerge', {
  weight: 3,
  plan: fc.record({ who, into: who }),
  write: (plan) => merge(actor(plan.into), actor(plan.who)),
})

/** Merges an account and creates it again: signatures for the old one must not be valid for the new one. */
export const mergeAndRecreate = operationPlan('mergeAndRecreate', {
  weight: 3,
  plan: fc.record({ who: fc.integer({ min: 9, max: 13 }), into: who, bump: fc.boolean() }),
  write: ({ who: merged, into, bump }, { net }) => {
    const [source, destination] = [actor(merged), actor(into)]
    const sequence = ((BigInt(net.latest.sequence) + 1n) << 32n) + 5n
    return [
      ...(bump ? [bumpTo(sequence, source)] : []),
      merge(destination, source),
      create(source, '2', destination),
    ]
  },
})

export const signer = operationPlan('setOptions signer', {
  weight: 3,
  plan: fc.record({ who, signer: who, weight: fc.constantFrom(0, 1, 1, 255) }),
  write: (plan) => setSigner(actor(plan.signer), plan.weight, actor(plan.who)),
})

export const flags = operationPlan('setOptions flags', {
  weight: 1,
  plan: fc.record({
    which: ownAsset,
    set: fc.constantFrom(0, ...Object.values(accountFlags)),
    clear: fc.constantFrom(0, ...Object.values(accountFlags)),
  }),
  write: ({ which, set, clear }) =>
    // An immutable issuer would make half of the later operations fail.
    options({ setFlags: set & ~accountFlags.authImmutable, clearFlags: clear }, issuerOf(which)),
})

export const thresholds = operationPlan('setOptions thresholds', {
  weight: 1,
  plan: fc.record({ who, masterWeight: fc.constantFrom(0, 1, 2), high: fc.constantFrom(0, 1, 2) }),
  write: (plan) =>
    options({ masterWeight: plan.masterWeight, highThreshold: plan.high }, actor(plan.who)),
})

export const manageData = operationPlan('manageData', {
  weight: 3,
  plan: fc.record({
    who,
    name: fc.constantFrom('a', 'b'),
    value: fc.constantFrom('one', 'two', null, null),
  }),
  write: (plan) => data(plan.name, plan.value, actor(plan.who)),
})

export const bumpSequence = operationPlan('bumpSequence', {
  weight: 1,
  plan: fc.record({ who, by: fc.constantFrom(-1n, 0n, 1n, 10n, 2n ** 33n) }),
  write: ({ who: bumped, by }, { net }) => {
    const to = (accountOf(net, actor(bumped))?.sequence ?? 0n) + by
    return bumpTo(to < 0n ? 0n : to, actor(bumped))
  },
})
