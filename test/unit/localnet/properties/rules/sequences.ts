/** A number is used once, whoever the account belongs to by then (CAP-19, CAP-21). */
import type { xdr } from '@stellar/stellar-sdk'
import { type Account, decodeAccount } from '../../../../../src/localnet/ledger/account.ts'
import { type AccountId, addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { codeOf, envelopeOf, metaOf } from '../applied.ts'
import type { Chapter, Rule } from '../book.ts'

export const sequences: Rule = {
  says: 'no sequence number is used twice',
  start: (opening) => {
    const used = new Set<string>()
    const highest = new Map(opening.accounts.map(({ id, sequence }) => [id, sequence]))
    return (chapter) => [...reused(used, chapter), ...fallen(highest, chapter)]
  },
}

/** What was not even looked at used no number. */
const unused: ReadonlySet<string> = new Set(['txBadSeq', 'txNoAccount', 'txTooLate', 'txTooEarly'])

function reused(used: Set<string>, { ledger }: Chapter): string[] {
  return ledger.transactions.flatMap((transaction) => {
    if (unused.has(codeOf(transaction))) return []
    const { source, transaction: read } = envelopeOf(transaction)
    const name = `${addressOf(source)} ${read.seqNum}`
    if (used.has(name)) return [`${name} was used again`]
    used.add(name)
    return []
  })
}

/** Numbers of a key only grow, through merges too: its next account begins above the last one. */
function fallen(highest: Map<AccountId, bigint>, { ledger, after }: Chapter): string[] {
  const told = ledger.transactions.flatMap((transaction) => accountsTold(metaOf(transaction)))
  return [...told, ...after.accounts].flatMap(({ id, sequence }) => {
    const known = highest.get(id) ?? 0n
    highest.set(id, sequence > known ? sequence : known)
    return sequence < known ? [`${addressOf(id)} went from ${known} to ${sequence}`] : []
  })
}

/** Accounts as each step of a transaction left them. */
const accountsTold = ({ txChangesBefore, operations }: xdr.TransactionMetaV4): Account[] =>
  [...txChangesBefore, ...operations.flatMap(({ changes }) => changes)].flatMap((change) =>
    (change.type === 'ledgerEntryCreated' || change.type === 'ledgerEntryUpdated') &&
    change.value.data.type === 'account'
      ? [decodeAccount(change.value.toXdr())]
      : [],
  )
