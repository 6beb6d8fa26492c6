/**
 * Hostile payers beside the honest ones of a lane: one sends many authorizations over one balance, one is a smart
 * account that accepts one call a ledger, so that the ledger fails the others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Deployer } from './contracts.ts'
import { type Lane, VALID_LEDGERS, VALID_SECONDS, withRetries } from './crash-lane.ts'
import type { CrashReplica } from './crash-replica.ts'
import { openWallet, type PaymentBody, payment, type Wallet } from './payments.ts'

/** What the attack cost, and what was done about it. */
export interface AttackResult {
  /** Settlements that failed on the ledger, of the payer with the most of them. */
  readonly failures: number
  /** At most this many may fail, by the rules for each payer: `docs/abuse.md`. */
  readonly bound: number
  /** Answers by which the rules for each payer refused a request. */
  readonly refusals: number
}

export interface Attack {
  /** Resolves when every request of the attack is answered or lost. */
  stop(): Promise<void>
  result(): Promise<AttackResult>
}

const AMOUNT = 20_000n
/** More than there are channels, so that some wait while others fail. */
const FLIPS = 16
const OVERDRAFTS = 8
const PAUSE_MS = 100
/** The default of `PAYER_PAUSE_FAILURES`. */
const PAUSE_FAILURES = 3

const refusalCodes = new Set(['insufficient_funds', 'settle_exact_stellar_payer_paused'])

/** Sends all payments of the hostile payers again and again to the current target. */
export async function startAttack(lane: Lane, target: () => CrashReplica): Promise<Attack> {
  const { localnet } = lane
  const [poor, flipping, accomplice] = await Promise.all([
    openWallet(localnet, AMOUNT + AMOUNT / 2n),
    new Deployer(localnet).smartAccount('oncePerLedger'),
    openWallet(localnet),
  ])
  lane.otherPayers.add(poor.address).add(flipping.address)
  const bodiesOf = (payer: Wallet, count: number): Promise<PaymentBody[]> =>
    Promise.all(
      Array.from({ length: count }, () =>
        payment(localnet, {
          payer,
          payTo: accomplice.address,
          amount: AMOUNT,
          maxTimeoutSeconds: VALID_SECONDS,
          expirationLedger: localnet.network.latest.sequence + VALID_LEDGERS,
        }),
      ),
    )
  const bodies = [...(await bodiesOf(poor, OVERDRAFTS)), ...(await bodiesOf(flipping, FLIPS))]
  let isStopped = false
  let refusals = 0
  const attacking = (async () => {
    while (!isStopped) {
      const replica = target()
      const answers = await Promise.all(bodies.map((body) => replica.settle(body)))
      const reasons = answers.map((answer) => answer?.body.errorReason ?? '')
      refusals += reasons.filter((reason) => refusalCodes.has(reason)).length
      await sleep(PAUSE_MS)
    }
  })()
  return {
    stop: () => {
      isStopped = true
      return attacking
    },
    result: async () => {
      const failed = await failuresOf(lane, [poor.address, flipping.address])
      return { failures: Math.max(0, ...failed), bound: PAUSE_FAILURES + lane.channels, refusals }
    },
  }
}

async function failuresOf({ store }: Lane, payers: readonly string[]): Promise<readonly number[]> {
  const query = sql<{ failures: string }>`select count(*)::text as failures from settlements
    where payer = any(${payers}::text[]) and state = 'failed' group by payer`
  const { rows } = await withRetries(() => query.execute(store.db))
  return rows.map(({ failures }) => Number(failures))
}
