import type { SQLOutputValue } from 'node:sqlite'
import type { SchemeName } from '../../payments/protocol/schemes.ts'
import type { SignedAuthorization, UnexplainedBecause } from '../sign/signed-authorization.ts'

/** The facts of a payment before its signature leaves the machine. */
export interface SignedPayment extends SignedAuthorization {
  readonly scheme: SchemeName
  readonly payTo: string
}

/** The outcome of a payment, as its seller states it. */
export interface SellerWord {
  readonly outcome: 'settled' | 'refused' | 'unknown'
  readonly transaction: string | null
}

export const paymentStates = ['reserved', 'signed', 'unexplained', 'paid', 'unpaid'] as const
type PaymentState = (typeof paymentStates)[number]

/** One call of the wallet. */
export interface RecordedPayment {
  readonly id: bigint
  /** Unix milliseconds. */
  readonly at: number
  /** Origin of the URL that was called. */
  readonly url: string
  /**
   * `reserved`: nothing was signed yet. `signed`: a signature was made, and the ledger has not shown what became of it. `unexplained`: it
   * expired, and the ledger cannot show that it took nothing. `paid`: it took `units`. `unpaid`: it expired unused.
   */
  readonly state: PaymentState
  /** Base units that count for the budget. */
  readonly units: bigint
  readonly payment: SignedPayment | undefined
  /** The outcome that the seller reported; undefined while it has reported none. */
  readonly outcome: SellerWord['outcome'] | undefined
  /** Why it is unexplained. */
  readonly because: UnexplainedBecause | undefined
  /** The transaction that the ledger shows, or else the one that the seller reported. */
  readonly transaction: string | undefined
}

type Row = Readonly<Record<string, SQLOutputValue>>

/** Reads a payment from a row of the budget file. */
export function readPayment(row: Row): RecordedPayment {
  const text = (name: string) => String(row[name])
  const textOrNone = (name: string) => (row[name] === null ? undefined : text(name))
  const units = (name: string) => BigInt(text(name))
  const payment = {
    scheme: text('scheme') as SignedPayment['scheme'],
    asset: text('asset'),
    payer: text('payer'),
    payTo: text('pay_to'),
    nonce: row['nonce'] === null ? 0n : units('nonce'),
    afterLedger: Number(row['after_ledger']),
    lastLedger: Number(row['last_ledger']),
  }
  return {
    id: units('id'),
    at: Number(row['at']),
    url: text('url'),
    state: text('state') as PaymentState,
    units: units('units'),
    payment: row['nonce'] === null ? undefined : payment,
    outcome: textOrNone('outcome') as RecordedPayment['outcome'],
    because: textOrNone('because') as RecordedPayment['because'],
    transaction: textOrNone('transaction_hash'),
  }
}
