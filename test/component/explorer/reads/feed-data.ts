import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import {
  type PaymentRow,
  writeLedgers,
} from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { OWN_FACILITATOR } from '../../../../src/explorer/store/registry/facilitators.ts'
import type { Confidence } from '../../../../src/explorer/store/tables.ts'
import type { SchemeName } from '../../../../src/payments/protocol/schemes.ts'
import type { NetworkId } from '../../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import type { Db } from '../../../../src/platform/database/schema.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'

/** Addresses that have the shape of strkeys; nothing on these paths reads their checksums. */
export const addressOf = (kind: 'G' | 'C', name: string): string => {
  const digits = createHash('sha256').update(name).digest()
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return kind + Array.from({ length: 55 }, (_, at) => letters[(digits[at % 32] ?? 0) % 32]).join('')
}

export const people = {
  sellers: ['shop', 'store', 'both'].map((name) => addressOf('G', name)),
  buyers: ['agent', 'bot', 'both'].map((name) => addressOf('G', name)),
} as const

/** By source: who submitted it. */
export const submitters = [
  { source: addressOf('G', 'own'), facilitator: OWN_FACILITATOR, confidence: 'svc' },
  { source: addressOf('G', 'other'), facilitator: 'other', confidence: 'verified-facilitator' },
  { source: addressOf('G', 'nobody'), facilitator: null, confidence: 'x402-shaped' },
] as const satisfies readonly {
  readonly source: string
  readonly facilitator: string | null
  readonly confidence: Confidence
}[]

export const networks = ['stellar:testnet', 'stellar:pubnet'] as const
export const assets = ['first', 'second'].map((name) => addressOf('C', name))
export const schemes = ['exact', 'upto'] as const satisfies readonly SchemeName[]

/** A payment as it is written, and what the filters of a feed look at. */
export interface MadePayment {
  readonly network: NetworkId
  readonly row: PaymentRow
  readonly facilitator: string | null
  readonly confidence: Confidence
}

/** Two months of UTC are within some payments of each other. */
const END_OF_MONTH = Date.UTC(2026, 9, 1) / 1_000

/** Different in everything, by a number; many close at the same second, and some hashes begin with the same 32 bits. */
export function makePayment(number: number, shift = 0): MadePayment {
  const pick = <T>(values: readonly T[], salt: number): T =>
    values[digestOf(`${salt} ${number}`).readUInt16BE() % values.length] as T
  const submitter = pick(submitters, 1)
  const hash = digestOf(`hash ${number} ${shift}`).toString('hex')
  const row = paymentRow(String(number), {
    scheme: pick(schemes, 2),
    closedAt: END_OF_MONTH + shift + ((number * 7) % 40) * 20_000 - 400_000,
    txHash: number % 5 === 0 ? `00000000${hash.slice(8)}` : hash,
    ledger: 1_000 + number,
    seller: pick(people.sellers, 3),
    buyer: pick(people.buyers, 4),
    amount: BigInt(number + 1) * 1_000n,
    asset: pick(assets, 5),
    txSource: submitter.source,
  })
  const { facilitator, confidence } = submitter
  return { network: pick(networks, 6), row, facilitator, confidence }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The epochs and the registry that the payments need. Returns the ids of the epochs. */
export async function prepareRegistry(db: Db): Promise<Readonly<Record<NetworkId, number>>> {
  await sql`insert into explorer_facilitators (id, display_name, source, verified, networks)
    values (${OWN_FACILITATOR}, 'Our own', 'own', true, '{stellar:testnet}'),
      ('other', null, 'announced', true, '{stellar:testnet,stellar:pubnet}')`.execute(db)
  for (const network of networks) {
    for (const { source, facilitator } of submitters) {
      if (facilitator === null) continue
      await sql`insert into explorer_signers (network, address, facilitator)
        values (${network}, ${source}, ${facilitator})`.execute(db)
    }
  }
  const epoch = async (network: NetworkId) => {
    const { rows } = await sql<{ id: number }>`insert into explorer_epochs (network, started_at)
      values (${network}, '2026-08-01T00:00:00Z') returning id`.execute(db)
    return rows[0]?.id ?? 0
  }
  return {
    'stellar:testnet': await epoch('stellar:testnet'),
    'stellar:pubnet': await epoch('stellar:pubnet'),
  }
}

export async function writePayments(
  db: Db,
  epochs: Readonly<Record<NetworkId, number>>,
  payments: readonly MadePayment[],
): Promise<void> {
  for (const network of networks) {
    const rows = payments.filter((payment) => payment.network === network).map(({ row }) => row)
    await inTransaction(db, (transaction) =>
      writeLedgers(transaction, { network, id: epochs[network] }, rows),
    )
  }
}
