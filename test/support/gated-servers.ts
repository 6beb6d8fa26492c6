/** The servers of one process under test, with a gate for its writes in front of both. */
import { startPostgresGate } from './postgres-gate.ts'
import { startRpcProxy } from './rpc-proxy.ts'
import { type Cut, WriteGate } from './write-gate.ts'

/** A server that the process cannot do without. */
export type ServerName = 'rpc' | 'store'

export interface GatedServers extends AsyncDisposable {
  readonly gate: WriteGate
  readonly rpcUrl: string
  readonly databaseUrl: string
  /** From now on every connection to it is lost, and no other is accepted. */
  cut(server: ServerName): void
}

export interface GateOptions {
  readonly rpcUrl: string
  /** Of a server without TLS. */
  readonly databaseUrl: string
  /** Absent: nothing is stopped. */
  readonly stop?: Cut | undefined
  /** What happens at the stop: the process goes on then. Absent: it waits there for ever. */
  readonly atStop?: ((servers: Pick<GatedServers, 'cut'>) => void | Promise<void>) | undefined
}

/** An RPC and a Postgres for one process, whose writes are numbered together. */
export async function gateServers(options: GateOptions): Promise<GatedServers> {
  const { stop, atStop } = options
  await using opened = new AsyncDisposableStack()
  const rpc = opened.use(await startRpcProxy())
  const gate = new WriteGate()
  gate.set(stop)
  const postgres = opened.use(await startPostgresGate(options.databaseUrl, gate))
  let isRpcCut = false
  const cut = (server: ServerName) => {
    if (server === 'store') return void postgres[Symbol.asyncDispose]()
    isRpcCut = true
    rpc.heal()
    rpc.fail('*', { kind: 'hang up' })
  }
  rpc.fail('sendTransaction', {
    kind: 'gate',
    pass: async (_, forward) => {
      const answer = await gate.pass('sendTransaction', async () =>
        isRpcCut ? undefined : forward(),
      )
      if (answer === undefined || isRpcCut) throw new Error('the RPC was cut')
      return answer
    },
  })
  if (atStop) {
    void gate.reached.then(async () => {
      await atStop({ cut })
      gate.open()
    })
  }
  const resources = opened.move()
  return {
    gate,
    rpcUrl: rpc.forwardTo(options.rpcUrl),
    databaseUrl: postgres.url,
    cut,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
