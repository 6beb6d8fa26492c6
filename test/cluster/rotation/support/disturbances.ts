/** What happens to the operator, to the RPC, to Postgres and to the administrator's mind while a pool under load rotates. */
import { expect } from 'vitest'
import { type MovableProxy, startMovableProxy } from '../../../support/movable-proxy.ts'
import { type RpcProxy, startRpcProxy } from '../../../support/rpc-proxy.ts'
import { nameSponsor } from '../../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import type { LoadWorld, LoadWorldOptions } from './load-world.ts'
import type { Phase, RotationFault } from './rotation-round.ts'

/** Nothing listens there. */
const CLOSED_PORT = 9
const patience = { timeout: 240_000, interval: 100 }

/** Proxies on the way of operator and pods to the RPC and to Postgres, and the rotations during which one of them is cut. */
interface BreakableLinks {
  readonly routes: NonNullable<LoadWorldOptions['routes']>
  rpcAwayIn(phase: Phase): RotationFault
  storeAwayIn(phase: Phase): RotationFault
}

export function breakableLinks(): BreakableLinks {
  let rpc: RpcProxy | undefined
  let store: MovableProxy | undefined
  return {
    routes: async ({ localnet, databaseUrl }, opened) => {
      const database = new URL(databaseUrl)
      rpc = opened.use(await startRpcProxy())
      store = opened.use(await startMovableProxy(Number(database.port)))
      return {
        rpcUrl: rpc.forwardTo(localnet.httpUrl),
        databaseUrl: Object.assign(database, { host: `127.0.0.1:${store.port}` }).href,
      }
    },
    rpcAwayIn: (phase) => ({
      name: `RPC away in ${phase}`,
      interruptsService: true,
      play: async ({ world, begun }) => {
        await begun(phase)
        rpc?.forwardTo(`http://127.0.0.1:${CLOSED_PORT}`)
        await untilReported(world, 'RpcUnreachable')
        rpc?.forwardTo(world.localnet.httpUrl)
      },
    }),
    storeAwayIn: (phase) => ({
      name: `Postgres away in ${phase}`,
      interruptsService: true,
      play: async ({ world, begun }) => {
        await begun(phase)
        store?.moveTo(CLOSED_PORT)
        await untilReported(world, 'StoreUnreachable')
        store?.moveTo(Number(new URL(world.databaseUrl).port))
      },
    }),
  }
}

const untilReported = (world: LoadWorld, reason: string): Promise<unknown> =>
  world.until(
    (pool) => {
      expect(pool?.status?.conditions?.map((each) => each.reason)).toContain(reason)
    },
    undefined,
    patience,
  )

/** The operator is killed when each of these phases begins. Payments do not need it. */
export const operatorKilledIn = (...all: readonly Phase[]): RotationFault => ({
  name: `operator killed when ${all.join(', ')} ${all.length === 1 ? 'begins' : 'begin'}`,
  play: async ({ world, begun }) => {
    for (const phase of all) {
      await begun(phase)
      world.operator.current.kill('SIGKILL')
    }
  },
})

/** The administrator names the old Secret again. */
export const backIn = (phase: Phase): RotationFault => ({
  name: `the old Secret named again in ${phase}`,
  ends: 'Aborted',
  play: async ({ world, old, begun }) => {
    await begun(phase)
    await nameSponsor(world, old.name)
  },
})
