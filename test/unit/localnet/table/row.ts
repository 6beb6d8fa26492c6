/** Rows of the table: the ledger that a transaction meets, the transaction, and its result. */
import type { xdr } from '@stellar/stellar-sdk'
import type { Account } from '../../../../src/localnet/ledger/account.ts'
import type { AccountName } from './accounts.ts'
import { changesOf, type Facts } from './ledger-state.ts'
import { type Send, type Sending, sendingOf } from './transaction.ts'

/** Account fields that no ordinary transaction could set: balances near the limit, and the like. */
type LedgerFields = Readonly<Partial<Record<AccountName, Partial<Omit<Account, 'id'>>>>>

export interface Row {
  /** The source of the rule: a CAP, or the place in stellar-core that decides. */
  readonly rule: string
  /** Completes the sentence "returns … when". */
  readonly when: string
  /** Succeeds first, in a ledger of its own. */
  readonly given?: Sending | undefined
  readonly ledger: LedgerFields
  /** Entries that have expired. */
  readonly archived: readonly xdr.LedgerKey[]
  readonly send: Sending
  /** From the outermost result in; begins with ERROR where no ledger takes the transaction. */
  readonly codes: string
  /** Without the fee for Soroban resources. */
  readonly fee: bigint
  /** Everything that differs afterwards, except the fee and the one sequence number used. */
  readonly changes: Facts
  /** A text in the diagnostic events. */
  readonly says?: string | undefined
  /** The events of contracts and classic operations, as `eventText` reads them. */
  readonly events?: string | undefined
  /** The kinds of changes in the meta of the operations, in their order. */
  readonly meta?: string | undefined
}

interface Details extends Partial<Pick<Row, 'ledger' | 'archived' | 'says' | 'events' | 'meta'>> {
  readonly given?: Send
  /** @default the base fee for each operation, and one more in a fee bump */
  readonly fee?: bigint
  /** In the notation of `changesOf`. */
  readonly changes?: string
}

type Draft = Omit<Row, 'rule'>

/** Rows under the source of their rule. */
export const rows = (groups: Readonly<Record<string, Draft | readonly Draft[]>>): readonly Row[] =>
  Object.entries(groups).flatMap(([rule, drafts]) =>
    [drafts].flat().map((draft) => ({ rule, ...draft })),
  )

/** Every operation succeeds, and exactly `details` changes. */
export function succeeds(when: string, send: Send, details: Details | string = {}): Draft {
  const { operations, feeBump } = sendingOf(send)
  const codes = `txSuccess ${operations.map(({ body }) => `${body.type}Success`).join(' ')}`
  const all = typeof details === 'string' ? { changes: details } : details
  return draft({ codes: feeBump ? `txFeeBumpInnerSuccess ${codes}` : codes, when, send }, all)
}

/**
 * A ledger takes the transaction, which fails. One code for each operation, without the name of the
 * operation (`NoTrust` for paymentNoTrust), `ok` where it succeeds, or `op...` for the codes that
 * all operations share. Codes that begin with `tx` are the whole result. A text alone is what the
 * diagnostic events say.
 */
export const fails = (codes: string, when: string, send: Send, details?: Details | string) =>
  draft({ codes: failure(codes, sendingOf(send)), when, send }, saying(details))

/** No ledger takes the transaction, which costs nothing; codes as in `fails`. */
export const rejected = (codes: string, when: string, send: Send, details?: Details | string) =>
  draft({ codes: `ERROR ${failure(codes, sendingOf(send))}`, when, send }, saying(details))

const saying = (details: Details | string | undefined): Details | undefined =>
  typeof details === 'string' ? { says: details } : details

function draft(
  { codes, when, send }: { codes: string; when: string; send: Send },
  { given, ledger = {}, archived = [], fee, changes = '', ...others }: Details = {},
): Draft {
  const sent = sendingOf(send)
  return {
    when,
    given: given && sendingOf(given),
    ledger,
    archived,
    send: sent,
    codes,
    fee: fee ?? sent.fee,
    changes: changesOf(changes),
    ...others,
  }
}

function failure(codes: string, { operations, feeBump }: Sending): string {
  if (codes.startsWith('tx')) return codes
  const words = codes.split(' ')
  if (words.length !== operations.length) {
    throw new Error(`one code for each operation: ${codes}`)
  }
  const each = operations.map(({ body }, index) => {
    const word = words[index] ?? ''
    return word.startsWith('op') ? word : `${body.type}${word === 'ok' ? 'Success' : word}`
  })
  return `${feeBump ? 'txFeeBumpInnerFailed ' : ''}txFailed ${each.join(' ')}`
}
