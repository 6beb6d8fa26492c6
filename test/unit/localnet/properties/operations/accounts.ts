/** Operations that create, remove and change accounts. */
import { Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { accountFlags } from '../../../../../src/localnet/ledger/account.ts'
import { account as accountOf } from '../../harness.ts'
import { actor, issuerOf, newcomer, ownAsset, who } from '../accounts.ts'
import { operationPlan } from './operation-plan.ts'

const startingBalances = ['0', '0.9999999', '1', '1.5', '20'] as const

export const createAccount = operationPlan('createAccount', {
  weight: 4,
  plan: fc.record({ by: who, who: newcomer, balance: fc.constantFrom(...startingBalances) }),
  write: (plan) =>
    Operation.createAccount({
      source: actor(plan.by).publicKey(),
      destination: actor(plan.who).publicKey(),
      startingBalance: plan.balance,
    }),
})

export const accountMerge = operationPlan('accountMerge', {
  weight: 3,
  plan: fc.record({ who, into: who }),
  write: (plan) =>
    Operation.accountMerge({
      source: actor(plan.who).publicKey(),
      destination: actor(plan.into).publicKey(),
    }),
})

/** Merges an account and creates it again: signatures for the old one must not be valid for the new one. */
export const mergeAndRecreate = operationPlan('mergeAndRecreate', {
  weight: 3,
  plan: fc.record({ who: fc.integer({ min: 9, max: 13 }), into: who, bump: fc.boolean() }),
  write: ({ who: merged, into, bump }, { net }) => {
    const [source, destination] = [actor(merged).publicKey(), actor(into).publicKey()]
    const bumpTo = ((BigInt(net.latest.sequence) + 1n) << 32n) + 5n
    return [
      ...(bump ? [Operation.bumpSequence({ source, bumpTo: bumpTo.toString() })] : []),
      Operation.accountMerge({ source, destination }),
      Operation.createAccount({ source: destination, destination: source, startingBalance: '2' }),
    ]
  },
})

export const signer = operationPlan('setOptions signer', {
  weight: 3,
  plan: fc.record({ who, signer: who, weight: fc.constantFrom(0, 1, 1, 255) }),
  write: (plan) =>
    Operation.setOptions({
      source: actor(plan.who).publicKey(),
      signer: { ed25519PublicKey: actor(plan.signer).publicKey(), weight: plan.weight },
    }),
})

export const flags = operationPlan('setOptions flags', {
  weight: 1,
  plan: fc.record({
    which: ownAsset,
    set: fc.constantFrom(0, ...Object.values(accountFlags)),
    clear: fc.constantFrom(0, ...Object.values(accountFlags)),
  }),
  write: ({ which, set, clear }) =>
    Operation.setOptions({
      source: issuerOf(which).publicKey(),
      // An immutable issuer would make half of the later operations fail.
      setFlags: set & ~accountFlags.authImmutable,
      clearFlags: clear,
    }),
})

export const thresholds = operationPlan('setOptions thresholds', {
  weight: 1,
  plan: fc.record({ who, masterWeight: fc.constantFrom(0, 1, 2), high: fc.constantFrom(0, 1, 2) }),
  write: (plan) =>
    Operation.setOptions({
      source: actor(plan.who).publicKey(),
      masterWeight: plan.masterWeight,
      highThreshold: plan.high,
    }),
})

export const manageData = operationPlan('manageData', {
  weight: 3,
  plan: fc.record({
    who,
    name: fc.constantFrom('a', 'b'),
    value: fc.constantFrom('one', 'two', null, null),
  }),
  write: (plan) => Operation.manageData({ ...plan, source: actor(plan.who).publicKey() }),
})

export const bumpSequence = operationPlan('bumpSequence', {
  weight: 1,
  plan: fc.record({ who, by: fc.constantFrom(-1n, 0n, 1n, 10n, 2n ** 33n) }),
  write: ({ who: bumped, by }, { net }) => {
    const to = (accountOf(net, actor(bumped))?.sequence ?? 0n) + by
    return Operation.bumpSequence({
      source: actor(bumped).publicKey(),
      bumpTo: (to < 0n ? 0n : to).toString(),
    })
  },
})
