/**
 * One round of the crash matrix: a payment waits at every point of one facilitator process, a
 * disaster strikes, every payment is asked for again until its answer is final, and then the ledger,
 * the rows, the channels and the budget are looked at.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Asked, isFinal, type PostedAnswer, settleUntilFinal } from './crash-client.ts'
import type { Disaster, Scene } from './crash-disasters.ts'
import {
  type Lane,
  type LanePayment,
  lookUntil,
  type PaidTransfer,
  patiently,
  rowOf,
} from './crash-lane.ts'
import { type CrashPoint, crashPoints } from './crash-points.ts'
import type { CrashPostgres } from './crash-postgres.ts'

/** The last one waits at no point: it was just sent when the disaster struck. */
export const moments = [...crashPoints, 'at any moment'] as const
export type Moment = (typeof moments)[number]

/** How one payment ended, counted. */
export interface Tally {
  readonly moment: Moment
  /** Every payment here can be made, and must be. */
  readonly expected: number
  /** Transfers on the ledger. */
  readonly seen: number
  /** Never answered finally, or not paid in the end. */
  readonly lost: number
  readonly doubled: number
  /** Final answers, first ones and repeats, that contradict the ledger or each other. */
  readonly untrue: number
  /** Channels that the settlement still holds, or would have held had nobody asked again. */
  readonly stuck: number
  /** Of a payment without a final answer. */
  readonly lastAnswer?: string
}

export interface RoundResult {
  readonly tallies: readonly Tally[]
  /** Channels over which a payment was made afterwards. */
  readonly channelsUsed: number
  readonly budget: { readonly told: bigint; readonly taken: bigint }
  /** What usage tells of all payments of the lane, and what the ledger does. */
  readonly usage: { readonly told: Usage; readonly made: Usage }
}

interface Usage {
  readonly successes: number
  readonly amount: bigint
  readonly pending: number
}

export interface RoundOptions {
  readonly lane: Lane
  readonly disaster: Disaster
  readonly postgres: CrashPostgres
  readonly frozenMs: number
  /** From 0 to below 1: decides when payments are sent and asked for again. */
  readonly random: () => number
}

interface Sent extends LanePayment {
  readonly moment: Moment
  readonly answer: Promise<PostedAnswer | undefined>
}

/** Long enough for claims and leases to lapse, several times. */
const PATIENCE_MS = 90_000
/** The payment that waits at no point is on its way for at most so long when the disaster strikes. */
const ANY_MOMENT_MS = 500
/** A client asks again at once, within this time, or only when the service has ended it by itself. */
const ASK_LATER_MS = 2_500

/**
 * Last in a settlement first, so that little time passes between the earliest point that holds a
 * claim and the disaster; without a free channel last, since that takes all of them away.
 */
const inOrder: readonly CrashPoint[] = [
  ...crashPoints.filter((point) => point !== 'after claim').toReversed(),
  'after claim',
]

export async function playRound(options: RoundOptions): Promise<RoundResult> {
  const { lane, disaster, postgres, frozenMs, random } = options
  const [victim] = lane.replicas
  if (!victim) throw new Error('no replica runs')
  const scene: Scene = { lane, victim, postgres, frozenMs }
  const ledger = lane.localnet.network.latest.sequence
  const sent = await sendAll(scene, random)
  const asked = await disaster.strike(scene)
  const answers = await Promise.all(
    sent.map(async (payment) => {
      const isNeglected = await waitBeforeAsking(lane, payment, random)
      const answers = await settleUntilFinal(() => asked.settle(payment.body), PATIENCE_MS)
      return { ...answers, isNeglected }
    }),
  )
  await disaster.afterwards(scene)
  const first = await Promise.all(sent.map(({ answer }) => answer))
  await untilFree(lane)
  await twoMoreLedgers(lane)

  const tallies = await Promise.all(
    sent.map(async (payment, index) => {
      const repeats = await Promise.all(
        lane.replicas.map((replica) => replica.settle(payment.body)),
      )
      return tallyOf(lane, payment, {
        ...(answers[index] ?? { final: undefined, last: undefined, isNeglected: true }),
        others: [first[index], ...repeats],
        transfers: lane.transfersAfter(ledger).filter(({ amount }) => amount === payment.amount),
      })
    }),
  )
  const channelsUsed = await useEveryChannel(lane)
  return { tallies, channelsUsed, budget: await lane.spent(), usage: await usageOf(lane) }
}

async function sendAll({ lane, victim }: Scene, random: () => number): Promise<Sent[]> {
  const sent: Sent[] = []
  // Signed first: signing must not take from the time that claims have.
  const payments = await Promise.all(Array.from({ length: moments.length * 2 }, lane.newPayment))
  for (const point of inOrder) {
    for (let isHeld = false; !isHeld; ) {
      const payment = payments.pop()
      if (!payment) throw new Error(`no payment came to '${point}'`)
      if (point === 'after claim') await lane.occupyChannels()
      const [started] = await victim.settleUpTo(point, [payment.body])
      if (!started) throw new Error('nothing was sent')
      isHeld = started.isHeld
      // On a slow machine another replica may have freed a channel meanwhile.
      sent.push({ ...payment, moment: isHeld ? point : 'at any moment', answer: started.answer })
    }
  }
  await lane.giveChannelsBack()
  const payment = await lane.newPayment()
  sent.push({ ...payment, moment: 'at any moment', answer: victim.settle(payment.body) })
  await sleep(random() * ANY_MOMENT_MS)
  return sent
}

/** Answers whether the service left the settlement to itself until it was asked again. */
async function waitBeforeAsking(
  lane: Lane,
  payment: LanePayment,
  random: () => number,
): Promise<boolean> {
  const patience = random()
  if (patience < 2 / 3) {
    if (patience < 1 / 3) await sleep(random() * ASK_LATER_MS)
    return false
  }
  const state = await lookUntil(
    async () => (await rowOf(lane, payment))?.state,
    (seen) => seen !== 'claimed' && seen !== 'submitted',
    PATIENCE_MS,
  )
  return state === 'claimed' || state === 'submitted'
}

interface Seen extends Asked {
  readonly isNeglected: boolean
  /** What the first request and later repeats were answered. */
  readonly others: readonly (PostedAnswer | undefined)[]
  readonly transfers: readonly PaidTransfer[]
}

async function tallyOf(
  lane: Lane,
  payment: Sent,
  { final, last, isNeglected, others, transfers }: Seen,
): Promise<Tally> {
  const row = await rowOf(lane, payment)
  const [transfer] = transfers
  const isTold = final?.body.success === true
  const isTrue =
    isTold === transfers.length > 0 &&
    (!isTold || (final.body.transaction === transfer?.hash && row?.state === 'succeeded')) &&
    (row?.recorded === undefined || row.recorded.txHash === final?.body.transaction)
  const contradictions = others.filter(
    (answer) => final && answer && isFinal(answer) && !isDeepStrictEqual(answer, final),
  )
  const held = (await leases(lane)).filter((settlement) => settlement === row?.id)
  return {
    moment: payment.moment,
    expected: 1,
    seen: transfers.length,
    lost: transfers.length === 0 || final === undefined ? 1 : 0,
    doubled: Math.max(0, transfers.length - 1),
    untrue: contradictions.length + (final && !isTrue ? 1 : 0),
    ...(!final && last && { lastAnswer: JSON.stringify(last) }),
    stuck: held.length + (isNeglected ? 1 : 0),
  }
}

/** The settlements that hold a channel. */
async function leases({ store }: Lane): Promise<readonly (bigint | null)[]> {
  const held = store.db
    .selectFrom('channels')
    .select('lease_settlement')
    .where('lease_owner', 'is not', null)
  const rows = await patiently(() => held.execute())
  return rows.map((row) => row.lease_settlement)
}

const untilFree = (lane: Lane) =>
  lookUntil(
    () => leases(lane),
    (held) => held.length === 0,
    PATIENCE_MS,
  )

/** Anything that was sent twice would be on the ledger by then. */
async function twoMoreLedgers({ localnet }: Lane): Promise<void> {
  const { sequence } = localnet.network.latest
  await lookUntil(
    async () => localnet.network.latest.sequence,
    (newest) => newest >= sequence + 2,
    PATIENCE_MS,
  )
}

/** Makes as many payments at once as there are channels; answers over how many they went. */
async function useEveryChannel(lane: Lane): Promise<number> {
  const payments = await Promise.all(Array.from({ length: lane.channels }, lane.newPayment))
  const settled = await Promise.all(
    payments.map(async (payment, index) => {
      const replica = lane.replicas[index % lane.replicas.length]
      const ask = async () => replica?.settle(payment.body)
      const { final } = await settleUntilFinal(ask, PATIENCE_MS)
      const row = await rowOf(lane, payment)
      return final?.body.success === true ? row?.recorded?.channel : undefined
    }),
  )
  return new Set(settled.filter((channel) => channel !== undefined)).size
}

async function usageOf(lane: Lane): Promise<RoundResult['usage']> {
  const query = sql<Record<keyof Usage, string>>`
    select coalesce(sum(requests) filter (where outcome = 'success'), 0)::text as successes,
      coalesce(sum(settled_amount), 0)::text as amount,
      coalesce(sum(requests) filter (where outcome = 'pending'), 0)::text as pending
    from usage_counts where operation = 'settle'`
  const [told] = (await patiently(() => query.execute(lane.store.db))).rows
  const transfers = lane.transfersAfter(0)
  return {
    told: {
      successes: Number(told?.successes),
      amount: BigInt(told?.amount ?? -1),
      pending: Number(told?.pending),
    },
    made: {
      successes: transfers.length,
      amount: transfers.reduce((sum, { amount }) => sum + amount, 0n),
      pending: 0,
    },
  }
}
