/** A process that starts an embedded Postgres, says which, and then waits to be killed. */
import { startEmbeddedPostgres } from '../../../../src/demo/postgres/embedded-postgres.ts'

const [directory] = process.argv.slice(2)
const { url, pid } = await startEmbeddedPostgres(directory === undefined ? {} : { directory })
process.stdout.write(`${JSON.stringify({ url, pid })}\n`)
process.stdin.resume()
