/**
 * One round of the crash matrix: a payment waits at every point of one facilitator process, a disaster
 * strikes, clients repeat every payment until its answer is final, and then the round checks the ledger, the
 * rows, the channels and the budget.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { type Answers, isFinal, type PostedAnswer, settleUntilFinal } from './crash-client.ts'
import type { CrashDatabase } from './crash-database.ts'
import type { Disaster, Scene } from './crash-disasters.ts'
import { type AttackResult, startAttack } from './crash-hostile.ts'
import {
  handedOver,
  type Lane,
  type LanePayment,
  type PaidTransfer,
  pollUntil,
  rowOf,
  withRetries,
} from './crash-lane.ts'
import { type CrashPoint, crashPoints } from './crash-points.ts'

/** The last one waits at no point: it is sent right before the disaster. */
export const moments = [...crashPoints, 'at any moment'] as const
type Moment = (typeof moments)[number]

/** The counts of one payment. */
export interface Tally {
  readonly moment: Moment
  /** Every payment here can be made, so one transfer. */
  readonly expected: number
  /** Transfers on the ledger. */
  readonly found: number
  /** No final answer, or no transfer. */
  readonly lost: number
  readonly doubled: number
  /** Final answers, first ones and repeats, that contradict the ledger or each other. */
  readonly untrue: number
  /** Channels that the settlement still holds, plus 1 if the service did not end it by itself. */
  readonly stuck: number
  /** 1 unless the catalog has the declaration of the payment exactly once. */
  readonly uncataloged: number
  /** Of a payment without a final answer. */
  readonly lastAnswer?: string
}

export interface RoundResult {
  readonly tallies: readonly Tally[]
  /** Channels over which a payment was made afterwards. */
  readonly channelsUsed: number
  readonly budget: { readonly counted: bigint; readonly charged: bigint }
  /** Of the hostile payers, where there are any. */
  readonly attack?: AttackResult | undefined
  /** All payments of the lane, as usage counts them and as the ledger shows them. */
  readonly usage: { readonly counted: Usage; readonly made: Usage }
}

interface Usage {
  readonly successes: number
  readonly amount: bigint
  readonly pending: number
}

export interface RoundOptions {
  readonly lane: Lane
  readonly disaster: Disaster
  readonly database: CrashDatabase
  readonly frozenMs: number
  /** From 0 to below 1: decides when payments are sent and repeated. */
  readonly random: () => number
}

interface Sent extends LanePayment {
  readonly moment: Moment
  readonly answer: Promise<PostedAnswer | undefined>
}

/** Long enough for claims and leases to expire several times. */
const TIMEOUT_MS = 150_000
/** At most this long before the disaster, the payment that waits at no point is sent. */
const MAX_HEAD_START_MS = 500
/** A client repeats at once, within this time, or only when the service has ended the settlement. */
const MAX_REPEAT_DELAY_MS = 2_500

/**
 * The last point of a settlement first, so that little time passes between the earliest point that holds a
 * claim and the disaster. `after claim` comes last, since it needs all channels in use.
 */
const inOrder: readonly CrashPoint[] = [
  ...crashPoints.filter((point) => point !== 'after claim').toReversed(),
  'after claim',
]

export async function playRound(options: RoundOptions): Promise<RoundResult> {
  const { lane, disaster, database, frozenMs, random } = options
  const [victim] = lane.replicas
  if (!victim) throw new Error('no replica runs')
  const scene: Scene = { lane, victim, database, frozenMs }
  const ledger = lane.localnet.network.latest.sequence
  const sent = await sendAll(scene, random)
  let target = victim
  // Only now: before, a hostile payment could be the one that is held at a point.
  const attack = disaster.isUnderAttack ? await startAttack(lane, () => target) : undefined
  if (attack) await sleep(random() * MAX_HEAD_START_MS)
  const replica = await disaster.strike(scene)
  target = replica
  const answers = await Promise.all(
    sent.map(async (payment) => {
      const isUnresolved = await waitBeforeRepeating(lane, payment, random)
      const answers = await settleUntilFinal(() => replica.settle(payment.body), TIMEOUT_MS)
      return { ...answers, isUnresolved }
    }),
  )
  await disaster.afterwards(scene)
  await attack?.stop()
  const first = await Promise.all(sent.map(({ answer }) => answer))
  await untilFree(lane)
  await twoMoreLedgers(lane)

  const tallies = await Promise.all(
    sent.map(async (payment, index) => {
      const repeats = await Promise.all(
        lane.replicas.map((replica) => replica.settle(payment.body)),
      )
      return tallyOf(lane, payment, {
        ...(answers[index] ?? { final: undefined, last: undefined, isUnresolved: true }),
        others: [first[index], ...repeats],
        transfers: lane.transfersAfter(ledger).filter(({ amount }) => amount === payment.amount),
      })
    }),
  )
  const channelsUsed = await useEveryChannel(lane)
  return {
    tallies,
    channelsUsed,
    budget: await lane.spent(),
    attack: await attack?.result(),
    usage: await usageOf(lane),
  }
}

async function sendAll({ lane, victim }: Scene, random: () => number): Promise<Sent[]> {
  const sent: Sent[] = []
  // Signed first: claims expire soon, so signing must not take time in between.
  const payments = await Promise.all(Array.from({ length: moments.length * 2 }, lane.newPayment))
  for (const point of inOrder) {
    for (let isHeld = false; !isHeld; ) {
      const payment = payments.pop()
      if (!payment) throw new Error(`no payment reached '${point}'`)
      if (point === 'after claim') await lane.occupyChannels()
      const [started] = await victim.settleUpTo(point, [payment.body])
      if (!started) throw new Error('nothing was sent')
      isHeld = started.isHeld
      // On a slow machine another replica may have freed a channel in between.
      sent.push({ ...payment, moment: isHeld ? point : 'at any moment', answer: started.answer })
    }
  }
  await lane.releaseChannels()
  const payment = await lane.newPayment()
  sent.push({ ...payment, moment: 'at any moment', answer: victim.settle(payment.body) })
  await sleep(random() * MAX_HEAD_START_MS)
  return sent
}

/** Returns true when the service did not end the settlement by itself in time. */
async function waitBeforeRepeating(
  lane: Lane,
  payment: LanePayment,
  random: () => number,
): Promise<boolean> {
  const choice = random()
  if (choice < 2 / 3) {
    if (choice < 1 / 3) await sleep(random() * MAX_REPEAT_DELAY_MS)
    return false
  }
  const state = await pollUntil(
    async () => (await rowOf(lane, payment))?.state,
    (current) => current !== 'claimed' && current !== 'submitted',
    TIMEOUT_MS,
  )
  return state === 'claimed' || state === 'submitted'
}

interface Observed extends Answers {
  readonly isUnresolved: boolean
  /** The answers to the first request and to later repeats. */
  readonly others: readonly (PostedAnswer | undefined)[]
  readonly transfers: readonly PaidTransfer[]
}

async function tallyOf(
  lane: Lane,
  payment: Sent,
  { final, last, isUnresolved, others, transfers }: Observed,
): Promise<Tally> {
  const row = await rowOf(lane, payment)
  const [transfer] = transfers
  const isSuccess = final?.body.success === true
  const isTrue =
    isSuccess === transfers.length > 0 &&
    (!isSuccess ||
      (final.body.transaction === transfer?.hash &&
        final.body.amount === (payment.scheme === 'upto' ? payment.amount.toString() : undefined) &&
        row?.state === 'succeeded')) &&
    (row?.recorded === undefined || row.recorded.txHash === final?.body.transaction)
  const contradictions = others.filter(
    (answer) => final && answer && isFinal(answer) && !isDeepStrictEqual(answer, final),
  )
  const held = (await leases(lane)).filter((settlement) => settlement === row?.id)
  return {
    moment: payment.moment,
    expected: 1,
    found: transfers.length,
    lost: transfers.length === 0 || final === undefined ? 1 : 0,
    doubled: Math.max(0, transfers.length - 1),
    untrue: contradictions.length + (final && !isTrue ? 1 : 0),
    ...(!final && last && { lastAnswer: JSON.stringify(last) }),
    stuck: held.length + (isUnresolved ? 1 : 0),
    uncataloged: (await handedOver(lane, payment)) === 1 ? 0 : 1,
  }
}

/** The settlements that hold a channel. */
async function leases({ store }: Lane): Promise<readonly (bigint | null)[]> {
  const held = store.db
    .selectFrom('channels')
    .select('lease_settlement')
    .where('lease_owner', 'is not', null)
  const rows = await withRetries(() => held.execute())
  return rows.map((row) => row.lease_settlement)
}

const untilFree = (lane: Lane) =>
  pollUntil(
    () => leases(lane),
    (held) => held.length === 0,
    TIMEOUT_MS,
  )

/** By then a transaction that was sent twice would be on the ledger. */
async function twoMoreLedgers({ localnet }: Lane): Promise<void> {
  const { sequence } = localnet.network.latest
  await pollUntil(
    async () => localnet.network.latest.sequence,
    (newest) => newest >= sequence + 2,
    TIMEOUT_MS,
  )
}

/** A payment that comes when others have ended gets one of their channels: one time may not use them all. */
const MOST_TIMES = 5

/** Makes as many payments at once as there are channels, until each channel has settled one; returns how many channels have. */
async function useEveryChannel(lane: Lane): Promise<number> {
  const used = new Set<string>()
  for (let time = 1; time <= MOST_TIMES && used.size < lane.channels; time += 1) {
    for (const channel of await channelsOfPayments(lane)) used.add(channel)
  }
  return used.size
}

/** Each payment is of another payer: some channels are kept for payers that hold few. */
async function channelsOfPayments(lane: Lane): Promise<readonly string[]> {
  const payments = await Promise.all(
    Array.from({ length: lane.channels }, lane.newPaymentOfAnother),
  )
  const settled = await Promise.all(
    payments.map(async (payment, index) => {
      const replica = lane.replicas[index % lane.replicas.length]
      const send = async () => replica?.settle(payment.body)
      const { final } = await settleUntilFinal(send, TIMEOUT_MS)
      const row = await rowOf(lane, payment)
      return final?.body.success === true ? row?.recorded?.channel : undefined
    }),
  )
  return settled.filter((channel) => channel !== undefined)
}

async function usageOf(lane: Lane): Promise<RoundResult['usage']> {
  const query = sql<Record<keyof Usage, string>>`
    select coalesce(sum(requests) filter (where outcome = 'success'), 0)::text as successes,
      coalesce(sum(settled_amount), 0)::text as amount,
      coalesce(sum(requests) filter (where outcome = 'pending'), 0)::text as pending
    from usage_counts where operation = 'settle'`
  const [counted] = (await withRetries(() => query.execute(lane.store.db))).rows
  const transfers = lane.transfersAfter(0, 'all')
  return {
    counted: {
      successes: Number(counted?.successes),
      amount: BigInt(counted?.amount ?? -1),
      pending: Number(counted?.pending),
    },
    made: {
      successes: transfers.length,
      amount: transfers.reduce((sum, { amount }) => sum + amount, 0n),
      pending: 0,
    },
  }
}
