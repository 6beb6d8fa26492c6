import { expect } from 'vitest'
import { atWrite } from '../../../support/write-gate.ts'
import { test } from '../../support/cluster-test.ts'
import { isFull, logDuration } from '../support/pace.ts'
import type { GatedPool } from './support/gated-pool.ts'
import {
  beginOf,
  expectDone,
  expectSums,
  limits,
  openRotationWorld,
  patience,
  rotate,
} from './support/rotation-world.ts'
import { serveUpto, uptoPhases } from './support/upto.ts'

interface Outage {
  readonly kind: 'rpc' | 'store'
  readonly phase: string
}

const kinds = ['rpc', 'store'] as const
/** Of every phase in `make chaos`; those with pods that serve the scheme upto take half a minute alone. */
const phases = isFull ? uptoPhases : ['Checking', 'Provisioning', 'Moving', 'Retiring', 'Sweeping']
const outages: readonly Outage[] = kinds.flatMap((kind) => phases.map((phase) => ({ kind, phase })))

const reasons = { rpc: 'RpcUnreachable', store: 'StoreUnreachable' } as const
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9'

function begin({ kind }: Outage, { rpc, store }: GatedPool): void {
  if (kind === 'rpc') rpc.forwardTo(NOWHERE)
  else store.refuse()
}

function end({ kind }: Outage, { rpc, store }: GatedPool, rpcUrl: string): void {
  if (kind === 'rpc') rpc.forwardTo(rpcUrl)
  else store.accept()
}

test(
  'an outage in a phase of a rotation is reported, and the rotation ends after it',
  limits,
  async ({ cluster }) => {
    await using world = await openRotationWorld(cluster)
    const pools = await world.pools(
      outages.map(({ kind, phase }) => `${kind}-${phase}`.toLowerCase()),
    )
    if (isFull) await serveUpto(world, pools)
    const stroops = await world.stroops()
    const startedAt = performance.now()
    await Promise.all(
      pools.map(async (pool, at) => {
        const outage = outages[at]
        if (!outage) return
        const before = await beginOf(world, pool)
        pool.gate.set(atWrite(new RegExp(`channelpools/status ${outage.phase}$`), 'after'))
        await rotate(world, pool)
        await world.until(() => expect(pool.gate.stoppedAt).toBeDefined(), pool.name, patience)
        begin(outage, pool)
        pool.gate.open()
        const reported = await world.until(
          (seen) => {
            const found = seen?.status?.conditions?.map(({ reason }) => reason)
            expect(found).toContain(reasons[outage.kind])
          },
          pool.name,
          patience,
        )
        expect(reported.status?.rotation?.phase).toBe(outage.phase)
        end(outage, pool, world.localnet.httpUrl)
        await expectDone(world, pool)
        await expectSums(world, pool, before)
      }),
    )
    expect(await world.stroops()).toBe(stroops)
    logDuration(
      'RPC and Postgres away in each phase of a rotation: all have ended',
      performance.now() - startedAt,
    )
  },
)
