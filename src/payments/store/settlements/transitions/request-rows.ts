import { type RawBuilder, sql } from 'kysely'

/*
 * Parts of statements that write one settlement or several. A statement for one waits until another one that has locked its
 * settlement ends. One for several waits for no settlement: it leaves out those that are locked, and locks channels in the
 * order of their accounts, so that two such statements cannot wait for each other.
 */

/** A row of each request. By name its value; undefined becomes null. */
export type Row<Columns> = { readonly [Name in keyof Columns]: unknown }

/**
 * The requests as rows of these columns, by name their types. One request is a row of constants, which the planner
 * puts into the conditions: its statement takes as long as one that was written for it.
 */
export function requestRows<Columns extends Readonly<Record<string, string>>>(
  columns: Columns,
  rows: readonly Row<Columns>[],
): RawBuilder<unknown> {
  const [first] = rows
  if (first && rows.length === 1) {
    const values = Object.entries(columns).map(
      ([name, type]) => sql`${first[name] ?? null}::${sql.raw(type)} as ${sql.ref(name)}`,
    )
    return sql`select ${sql.join(values)}`
  }
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json)
    as rows (${sql.raw(types.join(', '))})`
}

/** Locks the settlements of so many requests. */
export const lockOf = ({ length }: { readonly length: number }): RawBuilder<unknown> =>
  length > 1 ? sql`for update of settlements skip locked` : sql`for update of settlements`
