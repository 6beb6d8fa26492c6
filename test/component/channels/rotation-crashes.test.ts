import type { KyselyPlugin, OperationNode } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotate } from '../../../src/channels/rotation/rotate.ts'
import type { StellarRpc } from '../../../src/stellar/rpc.ts'
import type { Store } from '../../../src/store/open.ts'
import { expectRotated, openRotationWorld, type RotationWorld } from './rotation-world.ts'

/*
 * A rotation that ends at any of its writes, and is run again. What it reads changes nothing, so the end before a write is
 * also the end after the one before it; a transaction that was sent is not in a ledger yet, hence both sides of it.
 */

let world: RotationWorld
beforeAll(async () => {
  world = await openRotationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

class Killed extends Error {}

interface Death {
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

async function rotateAndDie(death: Death | undefined) {
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

describe('a rotation that was killed goes on when it is run again', () => {
  test('at each of its writes, and loses no stroop', { timeout: 600_000 }, async () => {
    const whole = await rotateAndDie(undefined)
    await whole.rotating
    const { writes: count, sent } = whole.mortal
    // Creations, the reserve of the authority, merges and the sweep.
    expect(sent).toHaveLength(4)
    expect(count).toBeGreaterThan(sent.length + 4)
    const deaths: Death[] = [
      ...Array.from({ length: count }, (_, index) => ({ at: index + 1, side: 'before' }) as const),
      ...sent.map((at) => ({ at, side: 'after sending' }) as const),
    ]
    for (const death of deaths) {
      const { from, to, since, before, rotating } = await rotateAndDie(death)
      await expect(rotating, JSON.stringify(death)).rejects.toThrow(Killed)
      await rotate(world.options(from, to, { servesUpto: true }))
      await expectRotated(world, from, to)
      expect(await world.total(since, from, to), JSON.stringify(death)).toBe(before)
    }
  })

  test('two at once do the work of one', { timeout: 120_000 }, async () => {
    const [from, to] = await world.pair()
    const since = world.localnet.network.latest.sequence
    const before = await world.total(since, from, to)
    await world.serves('pod-a/1', to)
    await Promise.all([rotate(world.options(from, to)), rotate(world.options(from, to))])
    await expectRotated(world, from, to)
    expect(await world.total(since, from, to)).toBe(before)
  })
})
