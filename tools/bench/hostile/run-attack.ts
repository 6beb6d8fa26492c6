import { sql } from 'kysely'
import type { Sample } from '../load.ts'
import { quantile } from '../statistics.ts'
import { type Attack, addressesOf, openWallets, payWith } from './attacks.ts'
import { type Pay, runSteadyLoad } from './load.ts'
import type { HostileWorld } from './world.ts'

export interface AttackResult {
  readonly attack: string
  readonly without: HonestResult
  readonly under: HonestResult
  readonly attackerRequests: number
  /** How often the attacker got each reason; `settled` for none. */
  readonly answers: ReadonlyMap<string, number>
  /** Fees, in stroops, of the attacker's transactions that failed on the ledger, and of all. */
  readonly wasted: bigint
  readonly spent: bigint
}

interface HonestResult {
  readonly requests: number
  /** Milliseconds, of those that settled. */
  readonly p95: number
  readonly refusals: ReadonlyMap<string, number>
}

export interface AttackPlan {
  /** Of the facilitator. */
  readonly channels: number
  /** Requests per second of the honest payers, and as many of the attacker. */
  readonly perSecond: number
  /** Of each half, with and without the attacker. */
  readonly seconds: number
}

const PAYERS = 25
const HONEST_USDC = 10_000_000_000n

/** Payments of many payers to many sellers in turn. */
export async function openHonest(world: HostileWorld): Promise<Pay> {
  const [payers, sellers] = await Promise.all([
    openWallets(world, PAYERS, HONEST_USDC),
    openWallets(world, PAYERS, 1n),
  ])
  const payTo = addressesOf(sellers)
  return (index) =>
    payWith(world, { payer: payers[index % PAYERS]!, payTo: payTo[index % PAYERS]! })
}

/**
 * The honest payers beside the attacker, and alone for half of that time before and after it, so that a slow
 * change of the machine affects both.
 */
export async function runAttack(
  world: HostileWorld,
  honest: Pay,
  attack: Attack,
  { perSecond, seconds, channels }: AttackPlan,
): Promise<AttackResult> {
  const { url } = world
  const load = { url, pay: honest, perSecond, seconds }
  const prepared = await attack.prepare(world, Math.round(perSecond * seconds))
  const alone = { ...load, seconds: seconds / 2 }
  const before = await runSteadyLoad(alone)
  const over = new AbortController()
  const meanwhile = prepared.meanwhile?.(over.signal)
  const atOnce = prepared.inBursts ? 2 * channels : 1
  const attacking = runSteadyLoad({ ...load, pay: prepared.pay, atOnce })
  const under = await runSteadyLoad(load)
  const answers = await attacking
  over.abort()
  await meanwhile
  const after = await runSteadyLoad(alone)
  return {
    attack: attack.name,
    without: honestResult([...before, ...after]),
    under: honestResult(under),
    attackerRequests: answers.length,
    answers: countReasons(answers),
    ...(await feesOf(world, prepared.payers)),
  }
}

function honestResult(samples: readonly Sample[]): HonestResult {
  const settled = samples.filter(({ failure }) => failure === undefined)
  const refused = samples.filter(({ failure }) => failure !== undefined)
  const p95 = quantile(
    settled.map(({ ms }) => ms),
    0.95,
  )
  return { requests: samples.length, p95, refusals: countReasons(refused) }
}

const countReasons = (samples: readonly Sample[]): Map<string, number> =>
  new Map(
    [...Map.groupBy(samples, ({ failure = 'settled' }) => failure)].map(([reason, all]) => [
      reason,
      all.length,
    ]),
  )

async function feesOf({ store }: HostileWorld, payers: readonly string[]) {
  const { rows } = await sql<{ wasted: string; spent: string }>`
    select coalesce(sum(fee_charged) filter (where state <> 'succeeded'), 0)::text as wasted,
      coalesce(sum(fee_charged), 0)::text as spent
    from settlements where payer in (${sql.join(payers)})`.execute(store.db)
  const { wasted, spent } = rows[0] ?? { wasted: '0', spent: '0' }
  return { wasted: BigInt(wasted), spent: BigInt(spent) }
}
