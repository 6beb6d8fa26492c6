/** A number is used once, whoever the account belongs to by then (CAP-19, CAP-21). */
import { addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { codeOf, envelopeOf } from '../applied.ts'
import type { Book, Chapter, Rule } from '../book.ts'

export const sequences: Rule = {
  says: 'no sequence number is used twice',
  start: (opening) => {
    const used = new Set<string>()
    const highest = new Map<string, bigint>()
    note(highest, opening)
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
function fallen(highest: Map<string, bigint>, { after }: Chapter): string[] {
  const problems = after.accounts.flatMap(({ id, sequence }) => {
    const known = highest.get(id) ?? 0n
    return sequence < known ? [`${addressOf(id)} went from ${known} to ${sequence}`] : []
  })
  note(highest, after)
  return problems
}

function note(highest: Map<string, bigint>, { accounts }: Book): void {
  for (const { id, sequence } of accounts) highest.set(id, sequence)
}
