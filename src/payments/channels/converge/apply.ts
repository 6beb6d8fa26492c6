import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Signer } from '../../../stellar/accounts/signer.ts'
import type { AccountState, StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../stellar/transactions/channel-envelopes.ts'
import { putChannels } from '../../store/channels/channel.ts'
import { markRetired } from '../../store/channels/retire.ts'
import type { StoreWrite } from '../../store/pools/fence.ts'
import {
  addDrainingChannels,
  drainPoolChannels,
  quarantineChannel,
} from '../../store/pools/pool-channels.ts'
import { putAuthorities } from '../../store/upto/authorities.ts'
import { affordableChannels, feeShortfall, shortfall } from '../create/affordable-channels.ts'
import { createChannels } from '../create/create-channels.ts'
import { mergeChannels } from '../retire/merge-channels.ts'
import type { Payer } from '../retire/rescue.ts'
import type { SponsorKeys } from '../sponsor-keys.ts'
import { markOf, noMark } from '../sponsor-mark.ts'
import type { SponsorOutcome, Tenure } from '../sponsor-transaction.ts'
import { payerOf } from './access.ts'
import type { PoolPlan } from './plan.ts'

/** Where a sponsor is, and how it is changed. */
export interface SponsorDeps {
  readonly network: NetworkId
  readonly keys: SponsorKeys
  /** Settlement authorities that this sponsor pays for: its own first. */
  readonly authorities: readonly Signer[]
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  /** Writes to the store. A write of the operator is refused once a later leader has written. */
  readonly write: StoreWrite
  /** Absent: nothing is stored, and the sponsor is the source of its transactions. */
  readonly store: Pick<Store, 'notifyFreedChannels'> | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Absent when no lease limits this process. */
  readonly tenure?: Tenure | undefined
  /** Pays for merges when the sponsor cannot, and gets what they free: others may know the sponsor's seed. */
  readonly payer?: Payer | undefined
}

export interface ApplyDeps extends SponsorDeps {
  readonly funds: PoolFunds
  readonly storeId: string | undefined
  /** The sponsor's mark that the plan was made for: the store's own mark replaces this one and no other. */
  readonly mark: string | undefined
  /** Why no transaction may be sent now: the network refused the last one, and the sponsor has received nothing since. */
  readonly held?: string | undefined
}

interface PoolFunds {
  readonly sponsor: AccountState
  /** The sum that the sponsor must have left to spend. */
  readonly floor: Stroops
  /** Maximum fees of its settlements under way. */
  readonly promised: Stroops
  /** Creates nothing unless the sponsor can pay for everything. */
  readonly wholly?: boolean | undefined
}

interface LedgerChange {
  /** Channels. */
  readonly count: number
  /** Settlement authorities among the accounts. */
  readonly authorities: number
  readonly hash: string
  readonly ledger: number | undefined
  /** The fees that the ledger charged the sponsor. */
  readonly feeCharged: Stroops
  /** The sum that the sponsor paid to the other one in the same transaction. */
  readonly rescued: bigint
}

/** After anything but `unchanged` the facts have to be read again. */
export type Applied =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'storeChanged' }
  | ({ readonly kind: 'created' | 'merged' } & LedgerChange)
  /** The network was busy, or another process used the sponsor. */
  | { readonly kind: 'notSent'; readonly because: string; readonly feeCharged: Stroops }
  /** The sponsor cannot pay for the next change of the ledger: nothing was sent. The message says what it lacks for all. */
  | { readonly kind: 'short'; readonly message: string }

/**
 * Makes the plan's changes in the store, or else one transaction of it on the ledger. Never both: an account
 * is changed on the ledger only by a plan made after the store has stopped every lease of its channel.
 * Throws `ProvisionFailure` or `RetireFailure` when the network refuses the transaction, `Fenced` or what `tenure` throws when
 * another operator leads.
 */
export async function applyPlan(
  plan: PoolPlan,
  accounts: ReadonlyMap<number, AccountState>,
  deps: ApplyDeps,
): Promise<Applied> {
  if (await changeStore(plan, accounts, deps)) return { kind: 'storeChanged' }
  // Without a ready channel there is none to lease.
  const { store } = deps
  const source =
    store && plan.ready.length > 0 ? payerOf({ ...deps, store }).leaseSource : undefined
  const change = changeOfLedger(plan, { ...deps, source })
  if (!change) return { kind: 'unchanged' }
  return deps.held === undefined ? change() : { kind: 'short', message: deps.held }
}

/** The options with the source of the transaction; undefined: the sponsor. */
interface Changing extends ApplyDeps {
  readonly source: Payer['leaseSource'] | undefined
}

/** The next transaction; undefined when the ledger is as planned. */
function changeOfLedger(plan: PoolPlan, deps: Changing): (() => Promise<Applied>) | undefined {
  const none = asStroops(0n)
  if (plan.setMark && plan.unclaimed.length > 0) {
    return () => create({ ...plan, create: [], createAuthorities: [] }, withFloor(deps, none))
  }
  if (plan.create.length > 0 || plan.createAuthorities.length > 0) return () => create(plan, deps)
  // A pool that has its channels works without the mark: it waits until the sponsor can pay for it, unless accounts are to be merged.
  const floor = plan.merge.length > 0 ? none : deps.funds.floor
  const canPayMark = () =>
    shortfall(deps.funds.sponsor, onlyMark, { ...budgetOf(deps), floor }) === undefined
  if (plan.setMark && canPayMark()) return () => create(plan, withFloor(deps, floor))
  if (plan.merge.length > 0) return () => merge(plan.merge, deps)
  if (plan.mergeAuthorities.length > 0 || plan.removeMark) return () => removeRest(plan, deps)
  return undefined
}

const withFloor = (deps: Changing, floor: Stroops): Changing => ({
  ...deps,
  funds: { ...deps.funds, floor },
})
const onlyMark = { channels: 0, authorities: 0, mark: true } as const
const budgetOf = ({ funds, inclusionFee }: ApplyDeps) => ({ ...funds, inclusionFee })

/** Makes the plan's changes in the store; whether there were any. */
export async function changeStore(
  plan: PoolPlan,
  accounts: ReadonlyMap<number, AccountState>,
  { network, keys, write, store }: SponsorDeps,
): Promise<boolean> {
  if (!store) return false
  const pool = { network, sponsor: keys.address }
  const entry = (index: number) => ({
    index,
    account: keys.channel(network, index).address,
  })
  const { quarantine, adopt, drain, retire, activate } = plan
  const onLedger = (index: number) => {
    return { ...pool, ...entry(index), sequence: accounts.get(index)?.sequence }
  }
  for (const channel of quarantine) await write(quarantineChannel, pool, channel)
  if (adopt.length > 0) await write(addDrainingChannels, pool, adopt.map(entry))
  if (drain.length > 0) await write(drainPoolChannels, pool, drain)
  if (retire.length > 0) {
    await write(markRetired, network, keys.address, retire.map(entry).map(toAccount))
  }
  if (activate.length > 0) {
    await write(putChannels, activate.map(onLedger))
    store.notifyFreedChannels(network)
  }
  return [quarantine, adopt, drain, retire, activate].some((step) => step.length > 0)
}

const toAccount = ({ account }: { readonly account: string }): string => account

/**
 * Adds the accounts to the store first: after a crash before they are created, the next process finds them. With little
 * money the first channel comes before the authorities, since nothing can be settled without a channel.
 */
async function create(
  plan: Pick<PoolPlan, 'create' | 'createAuthorities' | 'setMark'>,
  deps: Changing,
): Promise<Applied> {
  const { create: indices, createAuthorities, setMark } = plan
  const { network, keys, write, funds, storeId, store } = deps
  const budget = budgetOf(deps)
  const affordable = affordableChannels(funds.sponsor, budget, setMark)
  const missing = {
    channels: indices.length,
    authorities: createAuthorities.length,
    mark: setMark,
  }
  const lacks = shortfall(funds.sponsor, missing, budget)
  if ((affordable === 0 || funds.wholly) && lacks !== undefined) {
    return { kind: 'short', message: lacks }
  }
  const limit = Math.min(affordable, CHANNELS_PER_ENVELOPE)
  const authorities = among(createAuthorities, deps).slice(
    0,
    indices.length === 0 ? limit : limit - 1,
  )
  const batch = indices.slice(0, limit - authorities.length)
  const sponsor = keys.address
  const channels = batch.map((index) => keys.channel(network, index))
  // The authority of an earlier sponsor is stored already, as that sponsor's.
  const own = authorities.filter(({ address }) => address === deps.authorities[0]?.address)
  if (store && own.length > 0) {
    await write(
      putAuthorities,
      own.map(({ address }) => ({ network, sponsor, account: address })),
    )
  }
  if (store && channels.length > 0) {
    await write(
      addDrainingChannels,
      { network, sponsor },
      channels.map(({ address }, at) => ({ index: batch[at] ?? 0, account: address })),
    )
  }
  const mark = setMark && storeId !== undefined ? markOf(storeId, deps.mark) : undefined
  const accounts = [...channels, ...authorities]
  const outcome = await createChannels({ ...transactionOf(accounts, deps), mark })
  return toApplied('created', { count: batch.length, authorities: authorities.length }, outcome)
}

const among = (addresses: readonly string[], { authorities }: Changing): readonly Signer[] =>
  authorities.filter(({ address }) => addresses.includes(address))

async function merge(indices: readonly number[], deps: Changing): Promise<Applied> {
  const { network, keys } = deps
  const batch = indices.slice(0, CHANNELS_PER_ENVELOPE)
  const lacks = feeLacks(batch.length, deps)
  if (lacks !== undefined) return { kind: 'short', message: lacks }
  const channels = batch.map((index) => keys.channel(network, index))
  const outcome = await mergeChannels(mergeOf(channels, deps))
  return toApplied('merged', { count: batch.length, authorities: 0 }, outcome)
}

/** Removes what only a sponsor with channels needs: its authorities and its mark, in one transaction. */
async function removeRest(
  { mergeAuthorities, removeMark }: Pick<PoolPlan, 'mergeAuthorities' | 'removeMark'>,
  deps: Changing,
): Promise<Applied> {
  const accounts = among(mergeAuthorities, deps)
  const lacks = feeLacks(accounts.length + (removeMark ? 1 : 0), deps)
  if (lacks !== undefined) return { kind: 'short', message: lacks }
  const mark = removeMark ? noMark : undefined
  const outcome = await mergeChannels({ ...mergeOf(accounts, deps), mark })
  return toApplied('merged', { count: 0, authorities: accounts.length }, outcome)
}

/** The fee bump of a transaction whose source is a channel counts as an operation. */
const feeLacks = (
  operations: number,
  { funds, inclusionFee, payer, source }: Changing,
): string | undefined =>
  payer
    ? undefined
    : feeShortfall(funds.sponsor, BigInt(operations + (source ? 1 : 0)) * inclusionFee, funds)

const toApplied = (
  kind: 'created' | 'merged',
  what: Pick<LedgerChange, 'count' | 'authorities'>,
  outcome: SponsorOutcome & { readonly rescued?: { readonly amount: Stroops } | undefined },
): Applied => {
  const { feeCharged } = outcome
  if (outcome.kind === 'again') return { kind: 'notSent', because: outcome.because, feeCharged }
  const { hash, ledger, rescued } = outcome
  return { kind, ...what, hash, ledger, feeCharged, rescued: rescued?.amount ?? 0n }
}

const mergeOf = (accounts: readonly Signer[], deps: Changing) => ({
  ...transactionOf(accounts, deps),
  rescue: deps.payer && { ...deps.payer, promised: deps.funds.promised },
})

const transactionOf = (accounts: readonly Signer[], deps: Changing) => {
  const { network, keys, inclusionFee, rpc, clock, signal, tenure } = deps
  return {
    network,
    sponsor: keys.signer,
    channels: accounts,
    inclusionFee,
    rpc,
    clock,
    signal,
    tenure,
    leaseSource: deps.source,
  }
}
