/** Operations on trustlines, of their holders and issuers. */
import { Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { MAX_INT64 } from '../../../../../src/localnet/ledger/trustline.ts'
import { trustline } from '../../harness.ts'
import { trust } from '../../table/operations.ts'
import { actor, anyAsset, asset, issuerOf, ownAsset, who } from '../accounts.ts'
import { decimal, smaller } from '../amounts.ts'
import { operationPlan } from './operation-plan.ts'

const limits = ['none', 'belowBalance', 'balance', 'aboveBalance', 'most'] as const

export const changeTrust = operationPlan('changeTrust', {
  weight: 6,
  plan: fc.record({ who, which: anyAsset, limit: fc.constantFrom(...limits) }),
  write: ({ who: trustor, which, limit }, { net }) => {
    const balance = trustline(net, actor(trustor), asset(which))?.balance ?? 0n
    const amounts = {
      none: 0n,
      belowBalance: balance > 0n ? balance - 1n : 0n,
      balance,
      aboveBalance: balance + 10n,
      most: MAX_INT64,
    }
    // The SDK cannot build a trustline to lumens.
    const line = asset(which === 0 ? 1 : which)
    return trust(line, decimal(smaller(amounts[limit], MAX_INT64)), actor(trustor))
  },
})

const lineFlags = [
  ...[{ authorized: true }, { authorized: false }, { clawbackEnabled: false }],
  ...[{ authorizedToMaintainLiabilities: true }, { authorizedToMaintainLiabilities: false }],
  { authorized: false, authorizedToMaintainLiabilities: true },
  { authorized: true, authorizedToMaintainLiabilities: true },
]

export const authorization = operationPlan('setTrustLineFlags', {
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
