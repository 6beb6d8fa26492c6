import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Database } from '../../src/platform/database/schema.ts'

/** A statement as it goes to the database, in one line. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** A database whose rows a test makes up, for code that decides by what the store answers. The statements themselves need a real one. */
export const scriptedDatabase = (
  rowsOf: (statement: Statement) => readonly unknown[],
): Kysely<Database> =>
  new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new ScriptedDriver(rowsOf),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })

class ScriptedDriver extends DummyDriver {
  readonly #rowsOf: (statement: Statement) => readonly unknown[]

  constructor(rowsOf: (statement: Statement) => readonly unknown[]) {
    super()
    this.#rowsOf = rowsOf
  }

  override async acquireConnection() {
    const connection = await super.acquireConnection()
    return {
      ...connection,
      streamQuery: connection.streamQuery.bind(connection),
      executeQuery: async <Row>({ sql, parameters }: Statement) => ({
        rows: [...this.#rowsOf({ sql: sql.replace(/\s+/g, ' '), parameters })] as Row[],
      }),
    }
  }
}
