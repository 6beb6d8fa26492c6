import { sql } from 'kysely'
import type { Attack } from './attacks.ts'
import { countReasons, type HonestResult, honestResult } from './honest.ts'
import { type Pay, runSteadyLoad } from './load.ts'
import type { HostileWorld } from './world.ts'

export interface AttackResult {
  readonly attack: string
  readonly without: HonestResult
  readonly under: HonestResult
  /** Milliseconds from each honest claim beside the attacker until its envelope was recorded, ascending: the wait for a channel and a signature. */
  readonly waits: readonly number[]
  readonly attackerRequests: number
  /** How often the attacker got each reason; `settled` for none. */
  readonly answers: ReadonlyMap<string, number>
  /** Fees, in stroops, of the attacker's transactions that failed on the ledger, and of all. */
  readonly wasted: bigint
  readonly spent: bigint
}

export interface AttackPlan {
  /** Channels of the facilitator. */
  readonly channels: number
  /** Requests per second of the honest payers, and as many of the attacker. */
  readonly perSecond: number
  /** Length of each half, with and without the attacker. */
  readonly seconds: number
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
  const atOnce = prepared.burst ? prepared.burst * channels : 1
  const began = await storeTime(world)
  const attacking = runSteadyLoad({ ...load, pay: prepared.pay, atOnce })
  const under = await runSteadyLoad(load)
  const ended = await storeTime(world)
  const answers = await attacking
  over.abort()
  await meanwhile
  const after = await runSteadyLoad(alone)
  return {
    attack: attack.name,
    without: honestResult([...before, ...after]),
    under: honestResult(under),
    waits: await waitsBetween(world, prepared.payers, { began, ended }),
    attackerRequests: answers.length,
    answers: countReasons(answers),
    ...(await feesOf(world, prepared.payers)),
  }
}

async function storeTime({ store }: HostileWorld): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(store.db)
  return rows[0]!.now
}

async function waitsBetween(
  { store }: HostileWorld,
  attackers: readonly string[],
  { began, ended }: { readonly began: Date; readonly ended: Date },
): Promise<number[]> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from recorded_at - claimed_at) * 1000)::double precision as ms
    from settlements where payer not in (${sql.join(attackers)})
      and claimed_at between ${began} and ${ended} and recorded_at is not null
    order by 1`.execute(store.db)
  return rows.map(({ ms }) => ms)
}

async function feesOf({ store }: HostileWorld, payers: readonly string[]) {
  const { rows } = await sql<{ wasted: string; spent: string }>`
    select coalesce(sum(fee_charged) filter (where state <> 'succeeded'), 0)::text as wasted,
      coalesce(sum(fee_charged), 0)::text as spent
    from settlements where payer in (${sql.join(payers)})`.execute(store.db)
  const { wasted, spent } = rows[0] ?? { wasted: '0', spent: '0' }
  return { wasted: BigInt(wasted), spent: BigInt(spent) }
}
