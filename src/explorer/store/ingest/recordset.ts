import { type RawBuilder, sql } from 'kysely'

/**
 * Rows as a parameter of a statement: a table expression with these columns, which it has to be named after.
 * A bigint travels as text, so that it stays exact.
 *
 * @param columns names and types, as SQL declares them
 */
export const recordset = (rows: readonly object[], columns: string): RawBuilder<unknown> =>
  sql`(select * from json_to_recordset(${JSON.stringify(rows, exact)}::json) as given (${sql.raw(columns)}))`

const exact = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value
