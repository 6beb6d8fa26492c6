import { sql } from 'kysely'
import type { Db } from '../../src/platform/database/schema.ts'

/** What statements of a version can depend on: the definition of each object, by its kind and name. */
export type SchemaShape = ReadonlyMap<string, string>

/** Of tables, columns, constraints, indexes and functions in `public`; partitions count as their table. */
export async function shapeOf(db: Db): Promise<SchemaShape> {
  const { rows } = await sql<{ name: string; definition: string }>`
    with tables as (
      select oid, relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not like 'kysely%'
    )
    select 'table ' || relname as name, '' as definition from tables
    union all
    select format('column %s.%s', relname, attname),
      format_type(atttypid, atttypmod) || case when attnotnull then ' not null' else '' end ||
      case when attidentity <> '' or atthasdef then ' default' else '' end
    from pg_attribute join tables on attrelid = tables.oid where attnum > 0 and not attisdropped
    union all
    select format('constraint %s on %s', conname, relname), pg_get_constraintdef(pg_constraint.oid)
    from pg_constraint join tables on conrelid = tables.oid where contype <> 'n'
    union all
    select format('%s %s on %s', case when indisunique then 'unique index' else 'index' end,
      indexrelid::regclass, relname), pg_get_indexdef(indexrelid)
    from pg_index join tables on indrelid = tables.oid
    union all
    select 'function ' || oid::regprocedure, pg_get_function_result(oid)
    from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`.execute(db)
  return new Map(rows.map(({ name, definition }) => [name, definition]))
}

/** What a statement needs to find, and what it must not meet on a table that it knows. */
const needed = /^(table|column|unique index|function) /
const limiting = /^(constraint|unique index) /

/**
 * Why code that was written for `older` may fail on `newer`. Bodies of functions and triggers are not judged.
 */
export function breaksOf(older: SchemaShape, newer: SchemaShape): readonly string[] {
  const gone = [...older.keys()]
    .filter((name) => needed.test(name) && !newer.has(name))
    .map((name) => `${name} is gone`)
  const changed = [...older]
    .filter(([name, definition]) => {
      const now = newer.get(name)
      return now !== undefined && now !== definition && !isLooser(definition, now)
    })
    .map(([name, definition]) => `${name} was ${definition}, and is ${newer.get(name)}`)
  const added = [...newer]
    .filter(([name]) => !older.has(name) && older.has(tableOf(name)))
    .filter(([name, definition]) => limiting.test(name) || isRequired(definition))
    .map(([name, definition]) => `${name} is new: ${definition}`)
  return [...gone, ...changed, ...added]
}

const tableOf = (name: string): string =>
  `table ${/^column (?<table>[^.]+)\./.exec(name)?.groups?.['table'] ?? name.split(' on ').at(-1)}`

/** An `insert` that does not name the column fails. */
const isRequired = (definition: string): boolean => definition.endsWith(' not null')

/** A column that may be null now, or has a default now. */
const isLooser = (was: string, is: string): boolean =>
  was.replace(/( not null)?( default)?$/, '') === is.replace(/( not null)?( default)?$/, '') &&
  (was.includes(' not null') || !is.includes(' not null')) &&
  (!was.includes(' default') || is.includes(' default'))
