import { Account, BASE_FEE, Keypair, Operation, TransactionBuilder } from '@stellar/stellar-sdk'
import { describe, expect } from 'vitest'
import { stroopsFromLumens } from '../../../../../../src/platform/core/amounts/stroops.ts'
import { test } from '../../../../support/cluster-test.ts'
import { isReady, LUMEN, openPoolWorld, type PoolWorld } from '../pool-world.ts'
import {
  addSponsor,
  firstSponsor,
  fund,
  hasEnded,
  inPhase,
  nameSponsor,
  onLedgerOf,
  rotationNotes,
  rotationPatience,
  serve,
  stopServing,
  stroopsOf,
  type TestSponsor,
} from './rotation-world.ts'

const late = [undefined, rotationPatience] as const
const emergency = { rotation: { mode: 'Emergency' } }

/** Whoever has the seed merges the sponsor's account into one of theirs. */
async function steal(
  { rpc, localnet }: PoolWorld,
  { address, secret }: TestSponsor,
  thief: string,
) {
  const accounts = await rpc.accounts([address])
  const { sequence = 0n } = accounts.get(address) ?? {}
  const transaction = new TransactionBuilder(new Account(address, String(sequence)), {
    fee: BASE_FEE,
    networkPassphrase: localnet.network.passphrase,
  })
    .addOperation(Operation.accountMerge({ destination: thief }))
    // The ledger's time runs ahead of this machine's while ledgers close fast.
    .setTimeout(0)
    .build()
  transaction.sign(Keypair.fromSecret(secret))
  await rpc.send(transaction.toEnvelope().toXdr('base64'))
}

describe('a rotation in an emergency', () => {
  test('saves the funds before it does anything else, and says what it could not save', async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    await using _operator = world.operate()
    const old = firstSponsor(world)
    // Too little for its channels: the funds of the old one pay for them.
    const next = await addSponsor(world, 'next-sponsor', 2n)
    const thief = await addSponsor(world, 'thief', 1n)
    await world.apply({ channels: 2 })
    await world.until(isReady, ...late)
    const stroops = await stroopsOf(world, [old, next, thief])
    const { sequence } = world.localnet.network.latest
    await serve(world, old.address)

    await nameSponsor(world, next.name, emergency)
    const moving = await world.until(inPhase('Moving'), ...late)
    expect(moving.status?.rotation).toMatchObject({ mode: 'Emergency', serving: 'To' })
    // The first transaction paid; the channels came later.
    const operations: string[] = []
    for (let at = sequence + 1; at <= world.localnet.network.latest.sequence; at++) {
      for (const { envelopeXdr } of world.localnet.network.ledger(at)?.transactions ?? []) {
        const parsed = TransactionBuilder.fromXDR(
          Buffer.from(envelopeXdr).toString('base64'),
          world.localnet.network.passphrase,
        )
        const inner = 'innerTransaction' in parsed ? parsed.innerTransaction : parsed
        operations.push(...inner.operations.map(({ type }) => type))
      }
    }
    expect(operations[0]).toBe('payment')
    expect(operations).toContain('createAccount')

    // Its channels are merged at once, although a replica still serves it; what comes later is saved, too.
    await world.until(
      (pool) => {
        expect(pool?.status?.rotation?.message).toContain('pod-1 still serves')
      },
      ...late,
    )
    await fund(world, old.address, 20n)
    const saved = await world.until(
      (pool) => {
        const swept = stroopsFromLumens(pool?.status?.rotation?.sweptXlm ?? '0')
        expect(swept).toBeGreaterThan(115n * LUMEN)
      },
      ...late,
    )
    expect(saved.status?.rotation?.phase).toBe('Moving')
    expect(await onLedgerOf(world, old)).toMatchObject({ channels: [] })

    await steal(world, old, thief.address)
    await stopServing(world)
    const done = await world.until(hasEnded('Done'), ...late)
    await world.until(isReady, ...late)
    expect(await onLedgerOf(world, next)).toMatchObject({ channels: [0, 1], authority: true })
    // 20 XLM came later, for a fee.
    expect(await stroopsOf(world, [old, next, thief])).toBe(stroops + 20n * LUMEN + 100n)
    expect(done.status?.rotation?.message).toMatch(/^The pool has its new sponsor/)
    const phases = (await rotationNotes(world)).map((note) => note.split(':')[0])
    expect(phases.slice(0, 4)).toEqual(['Checking', 'Rescuing', 'Provisioning', 'Moving'])
  })
})
