/** Ledger and database outside of the cluster, as processes of the machine, at the address of its nodes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/demo/postgres/embedded-postgres.ts'

export interface Outside extends AsyncDisposable {
  readonly rpcUrl: string
  /** Creates a database; its URL is good in pods and in this process. */
  createDatabase(name: string): Promise<string>
}

const PORTS = { ledger: 8000, postgres: 5432 }

export async function startOutside(address: string): Promise<Outside> {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await startEmbeddedPostgres())
  opened.use(await startLedger(address))
  const { port } = new URL(database.url)
  opened.use(await forward(address, Number(port)))
  const all = opened.move()
  return {
    rpcUrl: `http://${address}:${PORTS.ledger}`,
    createDatabase: async (name) => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      const url = new URL(database.url)
      url.host = `${address}:${PORTS.postgres}`
      url.pathname = `/${name}`
      return url.href
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** A process of its own: the load would otherwise wait for its ledgers. */
async function startLedger(address: string): Promise<Disposable> {
  const flags = ['--host', address, '--port', String(PORTS.ledger), '--close-every', '1s']
  const child = spawn(process.execPath, ['src/commands/svc.ts', 'localnet', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the ledger ended before it listened, with ${code}`)
  })
  ended.catch(() => undefined)
  await Promise.race([once(lines, 'line'), ended])
  return { [Symbol.dispose]: () => child.kill('SIGKILL') }
}

/** The embedded Postgres listens on the loopback interface alone, which pods do not reach. */
async function forward(address: string, port: number): Promise<AsyncDisposable> {
  const open = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    incoming.pipe(outgoing).pipe(incoming)
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => open.delete(one))
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(PORTS.postgres, address, resolve)
  })
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const each of open) each.destroy()
      }),
  }
}
