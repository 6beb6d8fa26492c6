import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely'

/** Begins a transaction and sets the limits of it alone. */
const beginWithin = (limitMs: number, { isolationLevel, accessMode }: TransactionSettings) =>
  CompiledQuery.raw(
    `begin${isolationLevel ? ` isolation level ${isolationLevel}` : ''}${accessMode ? ` ${accessMode}` : ''}; ` +
      `set local statement_timeout = ${limitMs}; ` +
      // A process that freezes within a transaction must not hold its locks for longer.
      `set local idle_in_transaction_session_timeout = ${limitMs}`,
  )

/**
 * Postgres over connections that a pooler may lend for one transaction at a time: nothing here depends on the
 * session. The limits of a transaction go out with its `begin`, in one round trip.
 */
export class PooledDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #limitMs: number

  constructor(config: PostgresDialectConfig, limitMs: number) {
    super(config)
    this.#config = config
    this.#limitMs = limitMs
  }

  override createDriver(): Driver {
    return new LimitedDriver(this.#config, this.#limitMs)
  }

  override createAdapter(): PostgresAdapter {
    return new LocklessAdapter()
  }
}

class LimitedDriver extends PostgresDriver {
  readonly #limitMs: number

  constructor(config: PostgresDialectConfig, limitMs: number) {
    super(config)
    this.#limitMs = limitMs
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    await connection.executeQuery(beginWithin(this.#limitMs, settings))
  }
}

/**
 * Kysely locks migrations in the session. Over a pooler the unlock may reach another session, and then no process
 * could migrate until the locked one ends. `migrate` takes a lock of its transaction instead.
 */
class LocklessAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
