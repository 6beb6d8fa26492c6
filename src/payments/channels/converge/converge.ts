/**
 * The one engine of channel accounts. `planPool` says what is left to do, from what the store and the ledger have; `applyPlan` does the next
 * step of it. Every step may be repeated and interrupted at any write: what follows is planned from what is there. `svc serve`, the
 * administrator's commands and the operator call it; which of them may write is decided by each.
 */
import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import { afterTries } from '../after-tries.ts'
import type { Progress } from '../progress.ts'
import { type Applied, applyPlan, changeStore, type SponsorDeps } from './apply.ts'
import { type ChannelFacts, type FactsQuery, readFacts } from './facts.ts'
import { type PlanInput, type PoolPlan, planPool } from './plan.ts'
import { whyUnmergeable } from './unmergeable.ts'

export interface ConvergeOptions
  extends SponsorDeps,
    Pick<PlanInput, 'purpose' | 'takesHeld' | 'desired'>,
    Pick<FactsQuery, 'reach' | 'searchUpTo' | 'storeId'> {
  readonly store: (NonNullable<SponsorDeps['store']> & { readonly db: Db }) | undefined
  /** The sum that the sponsor must have left to spend. */
  readonly floor: Stroops
  /** Called with what was read, before anything is done about it. Throws when nothing may be done. */
  readonly check?: ((facts: ChannelFacts) => void) | undefined
  /** The error for a sponsor that the ledger does not have, although it is to create or merge something. */
  readonly noSponsor: () => Error
  /** Why no transaction may be sent now. */
  readonly heldBack?: ((sponsor: AccountState) => string | undefined) | undefined
  /**
   * Returns the sentence for an error of the transaction, such as a sponsor that cannot pay; throws any other error. @default throws
   * every error
   */
  readonly refused?: ((error: unknown, sponsor: AccountState) => string) | undefined
}

/** The reads, plans and steps of one pass. */
export interface Pass extends ChannelFacts {
  readonly plan: PoolPlan
  readonly applied: Applied
}

/** A change of the store needs no wait. After this many in a row, another process must be changing the store too. */
const MAX_STORE_PASSES = 6

/**
 * Reads, plans and applies: changes of the store until none is left, then at most one transaction on the
 * ledger. Returns the last pass. Throws what `check`, `noSponsor`, `applyPlan`, the network and the store throw.
 */
export async function converge(options: ConvergeOptions): Promise<Pass> {
  for (let pass = 1; ; pass++) {
    const result = await convergeOnce(options)
    if (result.applied.kind !== 'storeChanged' || pass === MAX_STORE_PASSES) return result
  }
}

async function convergeOnce(options: ConvergeOptions): Promise<Pass> {
  const { floor, purpose, heldBack, refused, check } = options
  const query = { ...options, authorities: options.authorities.map(({ address }) => address) }
  const facts = await readFacts(query, options)
  check?.(facts)
  const plan = planPool({ ...options, ...facts })
  const { sponsor, promisedFees: promised, mark, storeId } = facts
  if (!sponsor) {
    if (options.desired > 0 || changesLedger(plan)) throw options.noSponsor()
    // Others who have its seed merged its account: what the store has of it is retired.
    const isChanged = await changeStore(plan, facts.accounts, options)
    return { ...facts, plan, applied: { kind: isChanged ? 'storeChanged' : 'unchanged' } }
  }
  const applied = await applyPlan(plan, facts.accounts, {
    ...options,
    mark,
    storeId,
    funds: { sponsor, floor, promised, wholly: purpose === 'grow' },
    held: heldBack?.(sponsor),
  }).catch((error: unknown): Applied => {
    if (!refused) throw error
    return { kind: 'short', message: refused(error, sponsor) }
  })
  return { ...facts, plan, applied }
}

const changesLedger = ({ create, merge, createAuthorities, mergeAuthorities }: PoolPlan): boolean =>
  [create, merge, createAuthorities, mergeAuthorities].some((step) => step.length > 0)

export interface ConvergeFully extends ConvergeOptions {
  readonly purpose: 'grow' | 'empty'
  /** Called before each pass. Throws when nothing may be done now. */
  readonly before?: (() => Promise<void>) | undefined
  readonly onProgress?: Progress | undefined
  /** @param why in a sentence without a full stop */
  readonly failure: (why: string) => Error
}

export interface Converged {
  /** The last pass: nothing was left to do. */
  readonly last: Pass
  /** Accounts that were wrong when the call started: to be created, or to be merged. All are right now, by this process or another. */
  readonly found: number
  /** The accounts that this process changed. */
  readonly changed: number
  /** The fees that the ledger charged the sponsor for that. */
  readonly fees: Stroops
  /** The sum that it paid to the other one in the same transactions. */
  readonly rescued: Stroops
}

/** Failed attempts allowed: another process may do the same, or the network may be busy. */
const MAX_FAILED_ATTEMPTS = 10
const RETRY_PAUSE_MS = 1_000

/**
 * Passes until nothing is left to do, one transaction per ledger. May be called any number of times, by several processes at once. Throws
 * what `converge` and `before` throw, `failure` when the sponsor cannot pay or the network stays busy.
 */
export async function convergeFully(options: ConvergeFully): Promise<Converged> {
  const { clock, signal, before, failure, purpose } = options
  const progress = progressOf(options)
  let changed = 0
  let fees = 0n
  let rescued = 0n
  let because = 'channels that are in use'
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; ) {
    await before?.()
    const last = await converge({ ...options, check: (facts) => progress.read(facts) })
    const { applied } = last
    if ('feeCharged' in applied) fees += applied.feeCharged
    switch (applied.kind) {
      case 'created':
      case 'merged':
        changed += applied.count + applied.authorities
        rescued += applied.rescued
        continue
      case 'short':
        throw failure(`${applied.message} on ${options.network}`)
      case 'unchanged':
        if (last.plan.busy.length > 0) break
        if (purpose === 'empty' && last.accounts.size > 0) throw failure(unmergeable(last))
        return {
          last,
          found: progress.found,
          changed,
          fees: asStroops(fees),
          rescued: asStroops(rescued),
        }
      case 'storeChanged':
        because = 'another process that changes them'
        break
      case 'notSent':
        because = applied.because
    }
    failed += 1
    await clock.sleep(RETRY_PAUSE_MS, signal)
  }
  const done = purpose === 'grow' ? 'created' : 'merged'
  throw failure(
    `channels of ${options.network} could not be ${done} ${afterTries(MAX_FAILED_ATTEMPTS, because)}`,
  )
}

/** The sentence for accounts that the ledger refuses to merge; the others are merged. */
export function unmergeable({
  accounts,
  ledger,
}: Pick<ChannelFacts, 'accounts' | 'ledger'>): string {
  const [example] = [...accounts.values()]
  const because = example && whyUnmergeable(example, ledger)
  const count = `${accounts.size} ${accounts.size === 1 ? 'account' : 'accounts'}`
  return `${count} cannot be merged, such as ${example?.address}: ${because ?? 'the ledger refuses it'}`
}

/** Counts accounts, and tells each number once. */
function progressOf({ purpose, desired, onProgress, check }: ConvergeFully) {
  let found: number | undefined
  let told: number | undefined
  return {
    get found() {
      return found ?? 0
    },
    read(facts: ChannelFacts): void {
      check?.(facts)
      const wrong = purpose === 'grow' ? missingOf(facts, desired) : presentOf(facts)
      found ??= wrong
      const of = purpose === 'grow' ? desired + facts.authorities.length : found
      if (told !== wrong) onProgress?.({ done: of - wrong, of })
      told = wrong
    },
  }
}

const presentOf = ({ accounts, authorities }: ChannelFacts): number =>
  accounts.size + authorities.filter(({ account }) => account).length

const missingOf = ({ accounts, authorities }: ChannelFacts, desired: number): number =>
  Array.from({ length: desired }, (_, index) => index).filter((index) => !accounts.has(index))
    .length + authorities.filter(({ account }) => !account).length
