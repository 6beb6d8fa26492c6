/** Payments of lumens and of other assets. */
import { type Asset, type Keypair, Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { minimumBalance } from '../../../../../src/localnet/ledger/reserves.ts'
import { account as accountOf, type Op } from '../../harness.ts'
import { muxed as muxedAddress, pay as payTo } from '../../table/operations.ts'
import { actor, anyAsset, asset, holder, issuerOf, ownAsset, who } from '../accounts.ts'
import { amountOf, decimal, share } from '../amounts.ts'
import { operationPlan } from './operation-plan.ts'

interface Payment {
  readonly asset: Asset
  readonly from: Keypair
  readonly to: Keypair
  readonly muxed?: boolean
  readonly amount: bigint
}

const payment = ({ asset: paid, from, to, muxed = false, amount }: Payment): Op =>
  payTo(muxed ? muxedAddress(to, '7') : to, decimal(amount), paid, from)

export const pay = operationPlan('payment', {
  weight: 8,
  plan: fc.record({ from: who, to: who, which: anyAsset, amount: share, muxed: fc.boolean() }),
  write: (plan, network) => {
    const parties = { asset: asset(plan.which), from: actor(plan.from), to: actor(plan.to) }
    return payment({
      ...parties,
      muxed: plan.muxed,
      amount: amountOf(network, plan.amount, parties),
    })
  },
})

export const mintOrBurn = operationPlan('mint or burn', {
  weight: 4,
  plan: fc.record({ which: ownAsset, other: holder, mint: fc.boolean(), amount: share }),
  write: ({ which, other, mint, amount }, network) => {
    const [from, to] = mint ? [issuerOf(which), actor(other)] : [actor(other), issuerOf(which)]
    const parties = { asset: asset(which), from, to }
    return payment({ ...parties, amount: amountOf(network, amount, parties) })
  },
})

export const clawback = operationPlan('clawback', {
  weight: 2,
  plan: fc.record({ from: who, which: ownAsset, amount: share }),
  write: (plan, network) => {
    const parties = { asset: asset(plan.which), from: actor(plan.from), to: undefined }
    return Operation.clawback({
      source: issuerOf(plan.which).publicKey(),
      asset: parties.asset,
      from: parties.from.publicKey(),
      amount: decimal(amountOf(network, plan.amount, parties)),
    })
  },
})

/** A payment that leaves its source with nothing above its reserve: it cannot pay for another entry. */
export const spendAll = operationPlan('spend all', {
  weight: 4,
  plan: fc.record({ from: who, to: who, left: fc.constantFrom(-1n, 0n, 200n, 5_000_000n) }),
  write: ({ from, to, left }, { net }) => {
    const found = accountOf(net, actor(from))
    const free = found ? found.balance - minimumBalance(found) - left : 1n
    const parties = { asset: asset(0), from: actor(from), to: actor(to) }
    return payment({ ...parties, amount: free > 0n ? free : 1n })
  },
})
