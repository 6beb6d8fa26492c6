import type { DeliveryStore } from './delivery-store.ts'

/** A pool of the package `pg`, or what has the same function. */
export interface PostgresQueries {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

interface PostgresDeliveryStoreOptions {
  /** Its name in lower case, with its schema if need be. @default x402_deliveries */
  readonly table?: string
}

/** Rows that each write deletes at most. */
const CLEARED = 10
/** Rows stay for so long after their time: two writes that replace and delete the same two would wait for each other. */
const STAYS = "interval '1 hour'"
/** A value that ends between the two statements of one attempt is replaced in the next. */
const ATTEMPTS = 10

/** For a server of several processes, or one that is to remember its answers over a restart. */
export class PostgresDeliveryStore implements DeliveryStore {
  readonly #queries: PostgresQueries
  readonly #table: string

  /** @throws RangeError for a table whose name would need quotes */
  constructor(
    queries: PostgresQueries,
    { table = 'x402_deliveries' }: PostgresDeliveryStoreOptions = {},
  ) {
    if (!/^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*$/.test(table)) {
      throw new RangeError('table must be a name in lower case that needs no quotes.')
    }
    this.#queries = queries
    this.#table = table
  }

  /** Creates the table and its index unless they exist. Processes may call it at the same moment. */
  async createTable(): Promise<void> {
    const table = this.#table
    // Statements of one simple query are one transaction. Without the lock, two of them can both find no table.
    await this.#queries.query(`
      select pg_advisory_xact_lock(hashtext('${table}'));
      create table if not exists ${table} (key text primary key, value text not null, ends_at timestamptz not null);
      create index if not exists ${table.replace(/^.*\./, '')}_ends_at on ${table} (ends_at)`)
  }

  async putIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    for (let left = ATTEMPTS; left > 0; left--) {
      const stored = await this.#write('where kept.ends_at <= now()', [key, value, ttlMs])
      if (stored) return undefined
      const { rows } = await this.#queries.query(
        `select value from ${this.#table} where key = $1 and ends_at > now()`,
        [key],
      )
      const [found] = rows as { value: string }[]
      if (found) return found.value
    }
    throw new Error('The table of deliveries changes faster than it can be read.')
  }

  async put(key: string, value: string, ttlMs: number): Promise<void> {
    await this.#write('', [key, value, ttlMs])
  }

  async remove(key: string, value: string): Promise<void> {
    const statement = `delete from ${this.#table} where key = $1 and value = $2`
    await this.#queries.query(statement, [key, value])
  }

  /** Returns whether a row that has the key may be replaced, or none has it. */
  async #write(replaced: string, values: unknown[]): Promise<boolean> {
    const table = this.#table
    const { rows } = await this.#queries.query(
      `with cleared as (
         delete from ${table} where key in (
           select key from ${table} where ends_at <= now() - ${STAYS} and key <> $1
           limit ${CLEARED} for update skip locked
         )
       )
       insert into ${table} as kept (key, value, ends_at)
       values ($1, $2, now() + $3 * interval '1 millisecond')
       on conflict (key) do update set value = excluded.value, ends_at = excluded.ends_at ${replaced}
       returning 1`,
      values,
    )
    return rows.length > 0
  }
}
