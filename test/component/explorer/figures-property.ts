import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rollWindows } from '../../../src/explorer/store/figures/roll-windows.ts'
import { type PaymentRow, writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { moveNext } from '../../../src/explorer/store/registry/move-payments.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { paymentRow } from '../../support/explorer/payment-rows.ts'
import { recount } from '../../support/explorer/recount.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

const HOUR = 3_600
/** A full hour, a day before the end of a month. */
const START = Date.UTC(2026, 9, 31) / 1_000

const networks = ['stellar:testnet', 'stellar:pubnet'] as const
const sources = ['GA', 'GB', 'GC'] as const
const facilitators = ['own', 'other'] as const

let store: Store

/** Around every border of a window, as windows are rolled, and around those of hours. */
const time = fc
  .tuple(
    fc.constantFrom(0, 1, 2, 23, 24, 25, 167, 168, 169, 719, 720, 721, 800),
    fc.constantFrom(0, 1, HOUR - 1),
  )
  .map(([hours, seconds]) => START + hours * HOUR + seconds)

const payment: fc.Arbitrary<PaymentRow> = fc
  .record({
    id: fc.nat(1),
    scheme: fc.constantFrom('exact' as const, 'exact' as const, 'upto' as const),
    seller: fc.constantFrom('S1', 'S2', 'B1'),
    buyer: fc.constantFrom('B1', 'B2', 'S1'),
    amount: fc.constantFrom(0n, 1n, 5n, 10n ** 39n - 1n),
    asset: fc.constantFrom('C1', 'C1', 'C1', 'C2'),
    closedAt: time,
    txSource: fc.constantFrom(...sources),
    feeSource: fc.constantFrom(...sources, undefined),
  })
  .map(({ id, feeSource, ...rest }) =>
    // A hash comes from its content: what comes again is the same payment.
    paymentRow(`${JSON.stringify({ id, ...rest, amount: String(rest.amount) })}${feeSource}`, {
      ...rest,
      ...(rest.scheme === 'upto' && { ceiling: 10n ** 39n - 1n }),
      ...(feeSource && { feeSource }),
    }),
  )

/** Also so late that every payment leaves every window. */
const rollTime = fc.oneof(
  time,
  fc.constantFrom(745, 1_440, 1_441, 1_600).map((hours) => START + hours * HOUR),
)

const signer = {
  network: fc.constantFrom(...networks),
  address: fc.constantFrom(...sources),
}
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      network: fc.constantFrom(...networks),
      // Places in the pool: the same payments come again and again.
      payments: fc.array(fc.nat(), { minLength: 1, maxLength: 10 }),
      isRolledBack: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('roll' as const), now: rollTime }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      ...signer,
      by: fc.constantFrom(...facilitators),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disclaim' as const), ...signer }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('verify' as const), verified: fc.boolean() }),
  },
)
const pools = fc.array(payment, { minLength: 4, maxLength: 16 })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A suite of this many runs, each of other steps. */
export function figuresEqualRecount(runs: number): void {
  beforeAll(async () => {
    store = await openEmptyStore()
  })
  afterAll(() => store.close())

  test('figures equal a recount after every step, in any order of writes, rolls and changes of signers', async () => {
    await fc.assert(
      fc.asyncProperty(
        pools,
        fc.array(step, { minLength: 4, maxLength: 12 }),
        async (pool, steps) => {
          const epochs = await startAnew()
          for (const each of steps) {
            await carryOut(each, pool, epochs)
            expect(await recount(store.db)).toEqual([])
          }
          await moveAll()
          expect(await recount(store.db)).toEqual([])
        },
      ),
      { numRuns: runs },
    )
  })
}

async function startAnew(): Promise<ReadonlyMap<string, number>> {
  const { db } = store
  await sql`truncate explorer_addresses, explorer_epochs, explorer_assets, explorer_facilitators,
    explorer_kinds, explorer_payments, explorer_seller_kinds, explorer_buyers, explorer_buyer_kinds,
    explorer_pairs, explorer_kind_hours, explorer_kind_days, explorer_seller_hours, explorer_seller_buyer_hours,
    explorer_address_hours, explorer_address_counts, explorer_windows, explorer_moves cascade`.execute(
    db,
  )
  await db
    .insertInto('explorer_facilitators')
    .values(facilitators.map((id) => ({ id, source: id === 'own' ? 'own' : 'announced' })))
    .execute()
  const rows = await db
    .insertInto('explorer_epochs')
    .values(networks.map((network) => ({ network, started_at: new Date() })))
    .returning(['id', 'network'])
    .execute()
  return new Map(rows.map(({ id, network }) => [network, id]))
}

async function carryOut(
  step: Step,
  pool: readonly PaymentRow[],
  epochs: ReadonlyMap<string, number>,
): Promise<void> {
  const { db } = store
  switch (step.do) {
    case 'write': {
      const { network, isRolledBack } = step
      const payments = step.payments.flatMap((place) => pool[place % pool.length] ?? [])
      const written = inTransaction(db, async (tx) => {
        await writeLedgers(tx, { network, id: epochs.get(network) ?? 0 }, payments)
        if (isRolledBack) throw new RolledBack()
      })
      return written.catch((error) => {
        if (!(error instanceof RolledBack)) throw error
      })
    }
    case 'roll':
      while (!(await inTransaction(db, (tx) => rollWindows(tx, step.now)))) {}
      return
    case 'claim': {
      const { network, address, by } = step
      await db
        .insertInto('explorer_signers')
        .values({ network, address, facilitator: by })
        .onConflict((conflict) =>
          conflict.columns(['network', 'address']).doUpdateSet({ facilitator: by }),
        )
        .execute()
      return
    }
    case 'move':
      await moveNext(db, async () => undefined, step.limit)
      return
    case 'disclaim':
      await db
        .deleteFrom('explorer_signers')
        .where('network', '=', step.network)
        .where('address', '=', step.address)
        .execute()
      return
    case 'verify':
      await db
        .updateTable('explorer_facilitators')
        .set({ verified: step.verified })
        .where('id', '=', 'other')
        .execute()
      return
  }
}

class RolledBack extends Error {}

async function moveAll(): Promise<void> {
  while (await moveNext(store.db, async () => undefined, 2)) {}
}
