/** A number is used once, by an account and by later ones of the same key (CAP-19, CAP-21). */
import type { xdr } from '@stellar/stellar-sdk'
import { type Account, decodeAccount } from '../../../../../src/localnet/ledger/account.ts'
import { type AccountId, addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { metaOf } from '../../harness.ts'
import { codeOf, envelopeOf } from '../applied.ts'
import type { Rule, Transition } from '../decoded-ledger.ts'

export const sequences: Rule = {
  name: 'no sequence number is used twice',
  start: (initial) => {
    const used = new Set<string>()
    const highest = new Map(initial.accounts.map(({ id, sequence }) => [id, sequence]))
    return (transition) => [...reused(used, transition), ...fallen(highest, transition)]
  },
}

/** Codes of transactions that use no number. */
const unused: ReadonlySet<string> = new Set(['txBadSeq', 'txNoAccount', 'txTooLate', 'txTooEarly'])

function reused(used: Set<string>, { ledger }: Transition): string[] {
  return ledger.transactions.flatMap((transaction) => {
    if (unused.has(codeOf(transaction))) return []
    const { source, transaction: read } = envelopeOf(transaction)
    const name = `${addressOf(source)} ${read.seqNum}`
    if (used.has(name)) return [`${name} was used again`]
    used.add(name)
    return []
  })
}

/** Numbers of a key only grow: an account created after a merge starts above the merged one. */
function fallen(highest: Map<AccountId, bigint>, { ledger, after }: Transition): string[] {
  const changed = ledger.transactions.flatMap((transaction) => accountsIn(metaOf(transaction)))
  return [...changed, ...after.accounts].flatMap(({ id, sequence }) => {
    const known = highest.get(id) ?? 0n
    highest.set(id, sequence > known ? sequence : known)
    return sequence < known ? [`${addressOf(id)} went from ${known} to ${sequence}`] : []
  })
}

/** Accounts after each change of a transaction. */
const accountsIn = ({ txChangesBefore, operations }: xdr.TransactionMetaV4): Account[] =>
  [...txChangesBefore, ...operations.flatMap(({ changes }) => changes)].flatMap((change) =>
    (change.type === 'ledgerEntryCreated' || change.type === 'ledgerEntryUpdated') &&
    change.value.data.type === 'account'
      ? [decodeAccount(change.value.toXdr())]
      : [],
  )
