import pg from 'pg'

/** The migrated database that every test database is copied from. */
export const TEMPLATE = 'svc_template'

/** The address of one database of a server. */
export function databaseOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

/** Runs one statement in the server's own database. */
export async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
