/** CAP-67: events report every change of every balance, fees included. */
import type { AppliedTransaction } from '../../../../../src/localnet/closing/history.ts'
import { addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { assetContracts, assets } from '../accounts.ts'
import { contractEventsOf, envelopeOf, feesOf, type TokenEvent } from '../applied.ts'
import type { DecodedLedger, Rule } from '../decoded-ledger.ts'

export const movements: Rule = {
  name: 'events report every change of a balance',
  start:
    () =>
    ({ before, after, ledger }) => {
      const reported = new Tally()
      for (const transaction of ledger.transactions) countEvents(reported, transaction)
      const actual = new Tally()
      count(actual, after, 1n)
      count(actual, before, -1n)
      const changed = new Set([...reported.balances.keys(), ...actual.balances.keys()])
      return [...changed].flatMap((key) => {
        const [expected, is] = [reported.of(key), actual.of(key)]
        return expected === is ? [] : [`${key}: changed by ${is}, by ${expected} in events`]
      })
    },
}

class Tally {
  readonly balances = new Map<string, bigint>()

  of(key: string): bigint {
    return this.balances.get(key) ?? 0n
  }

  add(holder: string, asset: string, amount: bigint): void {
    const key = `${holder} in ${asset}`
    this.balances.set(key, this.of(key) + amount)
  }
}

const lumens = assetContracts[0] ?? ''

function count(tally: Tally, decoded: DecodedLedger, sign: bigint): void {
  for (const { id, balance } of decoded.accounts) tally.add(addressOf(id), lumens, sign * balance)
  for (const { asset, holder, amount } of decoded.contractBalances) {
    tally.add(holder, asset, sign * amount)
  }
  for (const line of decoded.trustlines) {
    const index = assets.findIndex(
      (asset) => !asset.isNative() && line.asset.equals(asset.toTrustLineXdrObject()),
    )
    tally.add(addressOf(line.account), assetContracts[index] ?? 'unknown', sign * line.balance)
  }
}

function countEvents(tally: Tally, transaction: AppliedTransaction): void {
  const { charged, refund } = feesOf(transaction)
  tally.add(addressOf(envelopeOf(transaction).feeSource), lumens, refund - charged)
  for (const event of contractEventsOf(transaction)) move(tally, event)
}

function move(tally: Tally, { asset, name, parties, amount }: TokenEvent): void {
  const [one = '', other = ''] = parties
  switch (name) {
    case 'transfer':
      // An issuer has no balance of its own asset: paying itself changes nothing.
      if (one === other) return
      tally.add(one, asset, -amount)
      tally.add(other, asset, amount)
      return
    case 'mint':
      tally.add(one, asset, amount)
      return
    case 'burn':
    case 'clawback':
      tally.add(one, asset, -amount)
      return
    case 'set_authorized':
      return
    default:
      throw new TypeError(`unknown event ${name}`)
  }
}
