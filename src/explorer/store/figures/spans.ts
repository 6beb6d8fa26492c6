import { type RawBuilder, sql } from 'kysely'
import { type Window, windows } from '../tables.ts'

/** All time, or a trailing window. */
const spans = ['all', ...windows] as const
export type Span = 'all' | Window

/** The column that counts over this span: `payments_24h` of `payments`. */
export const columnOf = (
  name: 'payments' | 'amount' | 'buyers' | 'addresses',
  span: Span,
): string => (span === 'all' ? name : `${name}_${span}`)

/** The same expression over the column of each span: `sum(payments) as payments_all, sum(payments_24h) as ...`. */
export const inEachSpan = (
  name: 'payments' | 'amount' | 'buyers',
  expression: (column: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql.join(
    spans.map(
      (span) =>
        sql`${expression(sql.ref(columnOf(name, span)))} as ${sql.ref(`${name}_in_${span}`)}`,
    ),
  )

/** Reads back what `inEachSpan` selected. */
export const ofEachSpan = <T>(read: (span: Span) => T): Readonly<Record<Span, T>> => ({
  all: read('all'),
  '24h': read('24h'),
  '7d': read('7d'),
  '30d': read('30d'),
})
