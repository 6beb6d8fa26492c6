import { describe, expect, it } from 'vitest'
import { Reconciler } from '../../../../../src/payments/engine/follow/reconciler.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import { defaultTimings } from '../../../../../src/payments/engine/timings.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { scriptedDatabase } from '../../../../support/scripted-database.ts'
import { claimedRow, key, recordedRow } from '../one-settlement.ts'

const TAKEN_AT_ONCE = 50

/** One round over a store that has these claims to abandon, and gives these due settlements in turn. */
async function round({
  abandoned = 0,
  due = [],
  followed = 0,
  following = [],
  isAway = false,
}: {
  abandoned?: number
  due?: readonly (readonly object[])[]
  /** How many envelopes the process follows already. */
  followed?: number
  following?: readonly string[]
  /** Whether what this process has finished cannot be stored again. */
  isAway?: boolean
}) {
  const log: string[] = []
  const takes = [...due]
  const db = scriptedDatabase(({ sql }) => {
    if (sql.startsWith('with "expired"'))
      return Array.from({ length: abandoned }, () => ({ id: 1n }))
    if (!sql.startsWith('with "due"')) return []
    log.push('takes')
    return takes.shift() ?? []
  })
  const network = {
    id: key.network,
    channelQueue: { freed: () => void log.push('wakes') },
  } as unknown as ServedNetwork
  const reconciler = new Reconciler({
    ...{ networks: new Map([[network.id, network]]), timings: defaultTimings, everyMs: 1_000 },
    store: { db, notifyFreedChannels: () => void log.push('notifies') } as unknown as Store,
    follower: {
      followed,
      isFollowing: (hash) => following.includes(hash),
      restoreLost: async () => {
        if (isAway) throw new Error('the store is away')
      },
      follow: async (_, { recorded, isTakenOver }) => {
        log.push(`follows ${recorded.txHash} ${isTakenOver}`)
        return undefined
      },
    },
    ...{ clock: new FakeClock(), metrics: createMetrics() },
    ...{ log: createLogger({ level: 'silent' }), signal: new AbortController().signal },
  })
  await reconciler.once()
  return log
}

const dueRow = (hash: string) => ({ ...recordedRow, tx_hash: hash })

describe('a round of the reconciler', () => {
  it('wakes those who wait for a channel once claims are abandoned', async () => {
    expect(await round({ abandoned: 1 })).toEqual(['wakes', 'notifies', 'takes'])
    expect(await round({})).toEqual(['takes'])
  })

  it('follows what is due and recorded, unless this process does already', async () => {
    const due = [[dueRow('a'), dueRow('b'), claimedRow]]
    const log = await round({ due, following: ['a'] })
    expect(log).toEqual(['takes', 'follows b true'])
  })

  it('takes more as long as there may be more', async () => {
    const many = Array.from({ length: TAKEN_AT_ONCE }, (_, nr) => dueRow(`${nr}`))
    const log = await round({ due: [many, [dueRow('last')]] })
    expect(log.filter((one) => one === 'takes')).toHaveLength(2)
    expect(log.at(-1)).toBe('follows last true')
  })

  it('takes none while the process follows very many', async () => {
    expect(await round({ followed: 1_000, due: [[dueRow('a')]] })).toEqual([])
  })

  it('takes what is due also while the store takes nothing again', async () => {
    const log = await round({ isAway: true, due: [[dueRow('a')]] })
    expect(log).toEqual(['takes', 'follows a true'])
  })
})
