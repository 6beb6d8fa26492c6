import { describe, expect, it } from 'vitest'
import { LandedSettlements } from '../../../../../src/payments/engine/limits/payers/landed-settlements.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import type { SettlementRow } from '../../../../../src/payments/store/settlements/settlement.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { scriptedDatabase } from '../../../../support/scripted-database.ts'
import { asset, payer } from '../../protocol/payment-builder.ts'
import { claimedRow, key, recordedRow } from '../one-settlement.ts'

const held = { payer, asset }

/** A payer with these settlements under way, over a ledger with these transactions, each in ledger 12. */
function world({
  rows = [recordedRow],
  onLedger = {},
}: {
  rows?: readonly SettlementRow[]
  onLedger?: Readonly<Record<string, 'SUCCESS' | 'FAILED'>>
}) {
  const clock = new FakeClock()
  const log: string[] = []
  const gate = { opens: Promise.resolve() as Promise<unknown> }
  const db = scriptedDatabase(() => {
    log.push('lists')
    return rows
  })
  const network = {
    id: key.network,
    rpc: {
      transaction: async (hash: string) => ({ status: onLedger[hash] ?? 'NOT_FOUND', ledger: 12 }),
    },
  } as unknown as ServedNetwork
  const landed = new LandedSettlements({
    ...{ store: { db } as unknown as Store, clock, signal: new AbortController().signal },
    follower: {
      follow: async (_: unknown, { recorded }: { recorded: { txHash: string } }) => {
        log.push(recorded.txHash)
        await gate.opens
      },
    } as never,
  })
  return { landed, network, clock, log, gate }
}

describe('the settlements of a payer that a balance includes', () => {
  it.each<{ what: string; given: Parameters<typeof world>[0]; ledger: number; ended: string[] }>([
    {
      what: 'that succeeded',
      given: { onLedger: { 'fee bump': 'SUCCESS' } },
      ledger: 12,
      ended: ['fee bump'],
    },
    {
      what: 'that failed',
      given: { onLedger: { 'fee bump': 'FAILED' } },
      ledger: 12,
      ended: ['fee bump'],
    },
    {
      what: 'of a later ledger: none',
      given: { onLedger: { 'fee bump': 'SUCCESS' } },
      ledger: 11,
      ended: [],
    },
    { what: 'of no ledger: none', given: {}, ledger: 12, ended: [] },
    { what: 'that are only claimed: none', given: { rows: [claimedRow] }, ledger: 12, ended: [] },
    {
      what: 'that were recorded on that ledger: none',
      given: {
        rows: [{ ...recordedRow, recorded_at_ledger: 12n }],
        onLedger: { 'fee bump': 'SUCCESS' },
      },
      ...{ ledger: 12, ended: [] },
    },
  ])('are ended, $what', async ({ given, ledger, ended }) => {
    const { landed, network, log } = world(given)
    await landed.finishUpTo(network, held, ledger)
    expect(log).toEqual(['lists', ...ended])
  })

  it('are looked for once a ledger, by all that ask', async () => {
    const { landed, network, log } = world({})
    await Promise.all([landed.finishUpTo(network, held, 12), landed.finishUpTo(network, held, 12)])
    await landed.finishUpTo(network, held, 11)
    expect(log).toEqual(['lists'])
    await landed.finishUpTo(network, held, 13)
    expect(log).toEqual(['lists', 'lists'])
  })

  it('hold up a claim for 3 s at most, and are looked for again', async () => {
    const { landed, network, clock, log, gate } = world({ onLedger: { 'fee bump': 'SUCCESS' } })
    gate.opens = new Promise(() => undefined)
    const finishing = landed.finishUpTo(network, held, 12)
    await clock.advance(3_000)
    await finishing
    gate.opens = Promise.resolve()
    await landed.finishUpTo(network, held, 12)
    expect(log).toEqual(['lists', 'fee bump', 'lists', 'fee bump'])
  })
})
