import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { settleUntilFinal } from '../../support/crash-client.ts'
import {
  type Lane,
  type LaneOptions,
  type LanePayment,
  openLane,
  rowOf,
} from '../../support/crash-lane.ts'
import { type DatabaseRoute, missingFor, reachedBy } from '../../support/database-routes.ts'
import { freshDatabase } from '../../support/postgres.ts'

const TIMEOUT_MS = 150_000

/** How much the races are given to do. */
interface Load {
  /** Times that the same request is sent at once. */
  readonly repeats: number
  /** Payments at once over fewer channels. */
  readonly payments: number
  readonly channels: number
  /** Payments that share the hourly budget: more than it allows. */
  readonly budgeted: number
}

export function describeReplicaRaces(route: DatabaseRoute, load: Load): void {
  describe(`two facilitator processes over one database, reached ${route}`, () => {
    let localnet: LocalnetServer
    beforeAll(async () => {
      localnet = await startLocalnetServer({ closeEveryMs: 250 })
    })
    beforeEach(({ skip }) => {
      const missing = missingFor(route)
      if (missing !== undefined) skip(missing)
    })
    afterAll(() => localnet.close())
    const open = async (options: Pick<LaneOptions, 'channels' | 'hourlyBudget' | 'timings'>) => {
      const database = await reachedBy(route, freshDatabase())
      const lane = await openLane({ localnet, databaseUrl: database.url, replicas: 2, ...options })
      return {
        lane,
        [Symbol.asyncDispose]: async () => {
          await lane[Symbol.asyncDispose]()
          await database[Symbol.asyncDispose]()
        },
      }
    }

    test(`make one transfer for the same request ${load.repeats} times at once, then finish ${load.payments} payments over ${load.channels} channels`, async () => {
      const timings = { channelWaitMs: 30_000, claimTtlMs: 40_000, leaseTtlMs: 45_000 }
      await using opened = await open({ channels: load.channels, timings })
      const { lane } = opened
      await repeatOne(lane, load.repeats)

      const payments = await Promise.all(
        Array.from({ length: load.payments }, lane.newPaymentOfAnother),
      )
      const { sequence } = localnet.network.latest
      const answers = await Promise.all(
        payments.map(({ body }, index) =>
          settleUntilFinal(() => replicaFor(lane, index).settle(body), TIMEOUT_MS),
        ),
      )
      expect(answers.filter(({ final }) => final?.body.success !== true)).toEqual([])
      const amounts = lane.transfersAfter(sequence, 'all').map(({ amount }) => amount)
      expect(amounts.toSorted()).toEqual(payments.map(({ amount }) => amount).toSorted())
      const rows = await Promise.all(payments.map((payment) => rowOf(lane, payment)))
      expect(new Set(rows.map((row) => row?.recorded?.channel)).size).toBe(load.channels)
    })

    test('keep to the hourly budget together, and use all of it', async () => {
      const hourlyBudget = 300_000n
      await using opened = await open({ channels: 16, hourlyBudget })
      const { lane } = opened
      const peak = watchBudget(lane)
      let waiting = await Promise.all(Array.from({ length: load.budgeted }, lane.newPayment))
      for (let isProgress = true; isProgress; ) {
        const refused = await settleInOneBurst(lane, waiting)
        isProgress = refused.length < waiting.length
        waiting = refused
      }
      expect(waiting.length).toBeGreaterThan(0)
      expect(await peak.stop()).toBeLessThanOrEqual(hourlyBudget)
      const { counted, charged } = await lane.spent()
      expect(counted).toBe(charged)
      expect(charged).toBeLessThanOrEqual(hourlyBudget)
      expect(hourlyBudget - charged).toBeLessThan(await highestFee(lane))
    })
  })
}

/** Sends one request many times at once: one transfer, and the same answer to all. */
async function repeatOne(lane: Lane, times: number): Promise<void> {
  const { sequence } = lane.localnet.network.latest
  const payment = await lane.newPayment()
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) => replicaFor(lane, index).settle(payment.body)),
  )
  const [first] = answers
  expect(first).toMatchObject({ status: 200, body: { success: true } })
  expect(answers.filter((answer) => !isDeepStrictEqual(answer, first))).toEqual([])
  expect(lane.transfersAfter(sequence)).toMatchObject([
    { hash: first?.body.transaction, amount: payment.amount },
  ])
  expect(await rowOf(lane, payment)).toMatchObject({ state: 'succeeded', attempt: 1 })
}

/** All claims are made at the same moment, half of them by each process; returns the refused payments. */
async function settleInOneBurst(
  { replicas }: Lane,
  payments: readonly LanePayment[],
): Promise<LanePayment[]> {
  const halves = replicas.map((replica, half) => ({
    replica,
    mine: payments.filter((_, index) => index % replicas.length === half),
  }))
  const started = await Promise.all(
    halves.map(async ({ replica, mine }) => {
      const bodies = mine.map(({ body }) => body)
      const settlements = await replica.settleUpTo('before claim', bodies)
      return mine.flatMap((payment, index) => {
        const settlement = settlements[index]
        return settlement ? [{ payment, answer: settlement.answer }] : []
      })
    }),
  )
  for (const replica of replicas) replica.resume()
  const refused = started.flat().map(async ({ payment, answer }) => {
    const isPaid = (await answer)?.body.success === true
    return isPaid ? [] : [payment]
  })
  return (await Promise.all(refused)).flat()
}

function replicaFor({ replicas }: Lane, index: number): Lane['replicas'][number] {
  const replica = replicas[index % replicas.length]
  if (!replica) throw new Error('no replica runs')
  return replica
}

/** Reads the promised and spent fees all the time; `stop` returns the highest sum. */
function watchBudget(lane: Lane): { stop: () => Promise<bigint> } {
  let isOver = false
  const watching = (async () => {
    let peak = 0n
    while (!isOver) {
      const { counted } = await lane.spent()
      if (counted > peak) peak = counted
    }
    return peak
  })()
  return {
    stop: () => {
      isOver = true
      return watching
    },
  }
}

/** The most that a settlement was promised. */
async function highestFee({ store }: Lane): Promise<bigint> {
  const query = sql<{ fee: bigint }>`select max(fee_committed) as fee from settlements`
  return (await query.execute(store.db)).rows[0]?.fee ?? 0n
}
