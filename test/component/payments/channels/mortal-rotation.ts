/**
 * A rotation that ends at any of its writes, and is run again. What it reads changes nothing, so the end before a write is
 * also the end after the one before it; a transaction that was sent is not in a ledger yet, hence both sides of it.
 */
import type { KyselyPlugin, OperationNode } from 'kysely'
import { expect } from 'vitest'
import { rotate } from '../../../../src/payments/channels/rotation/rotate.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import type { StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { expectRotated, type RotationWorld } from './rotation-world.ts'

class Killed extends Error {}

export interface Death {
  /** Of which write, from 1 on. */
  readonly at: number
  readonly side: 'before' | 'after sending'
}

/** Counts the writes of a process, to the store and to the network, and ends it at one of them. */
class Mortal implements KyselyPlugin {
  writes = 0
  /** The numbers of those that were sent to the network. */
  readonly sent: number[] = []
  #isDead = false
  readonly #death: Death | undefined

  constructor(death?: Death) {
    this.#death = death
  }

  /** A dead process does nothing more. */
  beforeWrite(): void {
    this.assertAlive()
    this.writes += 1
    if (this.#death?.side === 'before' && this.#death.at === this.writes) this.#die()
  }

  afterSending(): void {
    this.sent.push(this.writes)
    if (this.#death?.side === 'after sending' && this.#death.at === this.writes) this.#die()
  }

  assertAlive(): void {
    if (this.#isDead) throw new Killed('dead')
  }

  #die(): never {
    this.#isDead = true
    throw new Killed('killed')
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => {
    this.assertAlive()
    if (isWrite(node)) this.beforeWrite()
    return node
  }

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result
}

const writes = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])

const isWrite = (node: OperationNode | readonly OperationNode[]): boolean => {
  if ('kind' in node && writes.has(node.kind)) return true
  return Object.values(node).some(
    (part: unknown) => typeof part === 'object' && part !== null && isWrite(part as OperationNode),
  )
}

const mortalStore = (store: Store, mortal: Mortal): Store => ({
  ...store,
  db: store.db.withPlugin(mortal),
})

const mortalRpc = (rpc: StellarRpc, mortal: Mortal): StellarRpc =>
  new Proxy(rpc, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'send') return typeof member === 'function' ? member.bind(target) : member
      return async (...sent: Parameters<StellarRpc['send']>) => {
        mortal.beforeWrite()
        const outcome = await target.send(...sent)
        mortal.afterSending()
        return outcome
      }
    },
  })

/** Begins a rotation between a new pair of sponsors that ends at this write; undefined: at none. */
async function rotateAndDie(world: RotationWorld, death: Death | undefined) {
  const [from, to] = await world.pair(true)
  const since = world.localnet.network.latest.sequence
  const before = await world.total(since, from, to)
  await world.serves('pod-a/1', to)
  const mortal = new Mortal(death)
  const rotating = rotate(
    world.options(from, to, {
      servesUpto: true,
      store: mortalStore(world.store, mortal),
      rpc: mortalRpc(world.rpc, mortal),
    }),
  )
  return { from, to, since, before, mortal, rotating }
}

export interface Deaths {
  /** Before each of its writes. */
  readonly before: readonly Death[]
  /** After each transaction that it sends. */
  readonly afterSending: readonly Death[]
}

/** Counts the writes of a whole rotation. */
export async function deathsOf(world: RotationWorld): Promise<Deaths> {
  const whole = await rotateAndDie(world, undefined)
  await whole.rotating
  const { writes: count, sent } = whole.mortal
  // Creations, the reserve of the authority, merges and the sweep.
  expect(sent).toHaveLength(4)
  expect(count).toBeGreaterThan(sent.length + 4)
  return {
    before: Array.from({ length: count }, (_, index) => ({ at: index + 1, side: 'before' })),
    afterSending: sent.map((at) => ({ at, side: 'after sending' })),
  }
}

/** Expects that a rotation which was killed there goes on when it is run again, and loses no stroop. */
export async function expectGoesOn(world: RotationWorld, death: Death): Promise<void> {
  const { from, to, since, before, rotating } = await rotateAndDie(world, death)
  await expect(rotating, JSON.stringify(death)).rejects.toThrow(Killed)
  await rotate(world.options(from, to, { servesUpto: true }))
  await expectRotated(world, from, to)
  expect(await world.total(since, from, to), JSON.stringify(death)).toBe(before)
}
