import type { ChaosPool } from './chaos-pool.ts'
import type { ChaosWorld } from './chaos-world.ts'

/** A point at which a test can hold the work on a pool, from outside of the operator. */
export interface HoldPoint {
  /** Usable as the name of a pool. */
  readonly name: string
  hold(pool: ChaosPool, world: ChaosWorld): { isReached(): Promise<boolean> }
}

const never = () => new Promise<never>(() => undefined)

/** Forwards nothing and never answers. */
const stopAt = (name: string, method: string): HoldPoint => ({
  name,
  hold({ rpc }) {
    const before = rpc.count(method)
    rpc.fail(method, { kind: 'hang' })
    return { isReached: async () => rpc.count(method) > before }
  },
})

/** Forwards the transaction and never answers. */
const stopAfterSending = (isOn: (pool: ChaosPool) => Promise<boolean>): HoldPoint => ({
  name: 'sent-unknown',
  hold(pool) {
    pool.rpc.fail('sendTransaction', { kind: 'lose answer', after: never })
    return { isReached: () => isOn(pool) }
  },
})

/** The first write of that kind, or the second, hangs. */
const stopAtWrite = (
  name: string,
  { subresource, second }: { readonly subresource: string; readonly second: boolean },
  isStored: (pool: ChaosPool) => Promise<boolean>,
): HoldPoint => ({
  name,
  hold(pool, { proxy }) {
    const aim = { verbs: ['patch'], resources: ['channelpools'], names: [pool.name] }
    proxy.fail({ kind: 'hang' }, { ...aim, subresource, times: 1, share: second ? 0.5 : 1 })
    const isHeld = () =>
      proxy.calls.some(({ name: of, fault }) => of === pool.name && fault === 'hang')
    return { isReached: async () => isHeld() && (await isStored(pool)) }
  },
})

const beforeLedger: readonly HoldPoint[] = [
  stopAt('unsigned', 'getLatestLedger'),
  stopAt('signed-unsent', 'sendTransaction'),
]

/** The first status reports the transaction, the second the rows. */
export const fundingPoints: readonly HoldPoint[] = [
  ...beforeLedger,
  stopAfterSending(async (pool) => (await pool.onLedger()).length > 0),
  stopAtWrite('stored-untold', { subresource: 'status', second: true }, async (pool) => {
    const rows = await pool.rows()
    return rows.length > 0 && rows.every(({ state }) => state === 'active')
  }),
]

export const retiringPoints: readonly HoldPoint[] = [
  ...beforeLedger,
  stopAfterSending(async (pool) => (await pool.onLedger()).length === 0),
  stopAtWrite('stored-untold', { subresource: '', second: false }, async (pool) =>
    (await pool.rows()).every(({ state }) => state === 'retired'),
  ),
]
