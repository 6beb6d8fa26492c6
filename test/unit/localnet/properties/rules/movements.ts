/** CAP-67: events alone tell every change of every balance, fees included. */
import type { AppliedTransaction } from '../../../../../src/localnet/history.ts'
import { addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { contractEventsOf, envelopeOf, feesOf, type TokenEvent } from '../applied.ts'
import type { Book, Rule } from '../book.ts'
import { assetContracts, assets } from '../town.ts'

export const movements: Rule = {
  says: 'events tell every change of a balance',
  start:
    () =>
    ({ before, after, ledger }) => {
      const told = new Tally()
      for (const transaction of ledger.transactions) tell(told, transaction)
      const happened = new Tally()
      count(happened, after, 1n)
      count(happened, before, -1n)
      const changed = new Set([...told.balances.keys(), ...happened.balances.keys()])
      return [...changed].flatMap((key) => {
        const [said, is] = [told.of(key), happened.of(key)]
        return said === is ? [] : [`${key}: changed by ${is}, events say ${said}`]
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

function count(tally: Tally, book: Book, sign: bigint): void {
  for (const { id, balance } of book.accounts) tally.add(addressOf(id), lumens, sign * balance)
  for (const { asset, holder, amount } of book.contractBalances) {
    tally.add(holder, asset, sign * amount)
  }
  for (const line of book.trustlines) {
    const index = assets.findIndex(
      (asset) => !asset.isNative() && line.asset.equals(asset.toTrustLineXdrObject()),
    )
    tally.add(addressOf(line.account), assetContracts[index] ?? 'unknown', sign * line.balance)
  }
}

function tell(tally: Tally, transaction: AppliedTransaction): void {
  const { taken, back } = feesOf(transaction)
  tally.add(addressOf(envelopeOf(transaction).feeSource), lumens, back - taken)
  for (const event of contractEventsOf(transaction)) move(tally, event)
}

function move(tally: Tally, { asset, name, parties, amount }: TokenEvent): void {
  const [one = '', other = ''] = parties
  switch (name) {
    case 'transfer':
      // An issuer holds none of its own: to pay itself changes nothing.
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
      throw new TypeError(`nobody knows the event ${name}`)
  }
}
