import {
  affordableChannels,
  feeShortfall,
  shortfall,
} from '../../../../payments/channels/create/affordable-channels.ts'
import { createChannels } from '../../../../payments/channels/create/create-channels.ts'
import { authoritySigner, channelSigner } from '../../../../payments/channels/derive.ts'
import { mergeChannels } from '../../../../payments/channels/retire/merge-channels.ts'
import type { Payer } from '../../../../payments/channels/retire/rescue.ts'
import { markOf, noMark } from '../../../../payments/channels/sponsor-mark.ts'
import type { SponsorOutcome, Tenure } from '../../../../payments/channels/sponsor-transaction.ts'
import { leaseSource } from '../../../../payments/channels/transaction-source.ts'
import { putChannels } from '../../../../payments/store/channels/channel.ts'
import { markRetired } from '../../../../payments/store/channels/retire.ts'
import type { FencedWrite } from '../../../../payments/store/pools/fence.ts'
import {
  addDrainingChannels,
  drainPoolChannels,
  quarantineChannel,
} from '../../../../payments/store/pools/pool-channels.ts'
import { putAuthorities } from '../../../../payments/store/upto/authorities.ts'
import { asStroops, type Stroops } from '../../../../platform/core/amounts/stroops.ts'
import { type NetworkId, passphrases } from '../../../../platform/core/caip2.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { Store } from '../../../../platform/database/open.ts'
import { type Signer, signerFromSecret } from '../../../../stellar/accounts/signer.ts'
import type { AccountState, StellarRpc } from '../../../../stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../../../stellar/transactions/channel-envelopes.ts'
import type { PoolPlan } from './plan.ts'

export interface ApplyDeps {
  readonly network: NetworkId
  readonly sponsorSecret: string
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  /** Refused once a later leader has written. */
  readonly write: FencedWrite
  readonly store: Pick<Store, 'notifyFreedChannels'>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly tenure: Tenure
  /** Pays for merges when the sponsor cannot, and gets what they free: others may know the sponsor's seed. */
  readonly payer?: Payer | undefined
  readonly funds: PoolFunds
  readonly storeId: string
  /** Of the sponsor, as the plan knows it: the store's own replaces this one and no other. */
  readonly mark: string | undefined
  /** Why no transaction may be sent now: the network refused the last one, and the sponsor has received nothing since. */
  readonly held?: string | undefined
}

interface PoolFunds {
  readonly sponsor: AccountState
  /** What the sponsor must have left to spend. */
  readonly floor: Stroops
  /** Maximum fees of its settlements under way. */
  readonly promised: Stroops
}

interface LedgerChange {
  /** Channels. */
  readonly count: number
  /** Whether the settlement authority was among the accounts. */
  readonly withAuthority: boolean
  readonly hash: string
  readonly ledger: number | undefined
}

/** After anything but `unchanged` the pool has to be observed again. */
export type Applied =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'storeChanged' }
  | ({ readonly kind: 'created' | 'merged' } & LedgerChange)
  /** The network was busy, or another process used the sponsor. */
  | { readonly kind: 'notSent' }
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
  const change = changeOfLedger(plan, deps)
  if (!change) return { kind: 'unchanged' }
  return deps.held === undefined ? change() : { kind: 'short', message: deps.held }
}

/** The next transaction; undefined when the ledger is as planned. */
function changeOfLedger(plan: PoolPlan, deps: ApplyDeps): (() => Promise<Applied>) | undefined {
  const none = asStroops(0n)
  if (plan.setMark && plan.unclaimed.length > 0) {
    return () => create({ ...plan, create: [], createAuthority: false }, withFloor(deps, none))
  }
  if (plan.create.length > 0 || plan.createAuthority) return () => create(plan, deps)
  // A pool that has its channels works without the mark: it waits until the sponsor can pay for it, unless accounts are to be merged.
  const floor = plan.merge.length > 0 ? none : deps.funds.floor
  const canPayMark = () =>
    shortfall(deps.funds.sponsor, onlyMark, { ...budgetOf(deps), floor }) === undefined
  if (plan.setMark && canPayMark()) return () => create(plan, withFloor(deps, floor))
  if (plan.merge.length > 0) return () => merge(plan.merge, deps)
  if (plan.mergeAuthority || plan.removeMark) return () => removeRest(plan, deps)
  return undefined
}

const withFloor = (deps: ApplyDeps, floor: Stroops): ApplyDeps => ({
  ...deps,
  funds: { ...deps.funds, floor },
})
const onlyMark = { channels: 0, authorities: 0, mark: true } as const
const budgetOf = ({ funds, inclusionFee }: ApplyDeps) => ({ ...funds, inclusionFee })

async function changeStore(
  plan: PoolPlan,
  accounts: ReadonlyMap<number, AccountState>,
  { network, sponsorSecret, write, store }: ApplyDeps,
): Promise<boolean> {
  const sponsor = signerFromSecret(sponsorSecret).address
  const pool = { network, sponsor }
  const entry = (index: number) => ({
    index,
    account: channelSigner(sponsorSecret, network, index).address,
  })
  const { quarantine, adopt, drain, retire, activate } = plan
  const onLedger = (index: number) => {
    return { ...pool, ...entry(index), sequence: accounts.get(index)?.sequence }
  }
  for (const channel of quarantine) await write(quarantineChannel, pool, channel)
  if (adopt.length > 0) await write(addDrainingChannels, pool, adopt.map(entry))
  if (drain.length > 0) await write(drainPoolChannels, pool, drain)
  if (retire.length > 0) {
    await write(markRetired, network, sponsor, retire.map(entry).map(toAccount))
  }
  if (activate.length > 0) {
    await write(putChannels, activate.map(onLedger))
    store.notifyFreedChannels(network)
  }
  return [quarantine, adopt, drain, retire, activate].some((step) => step.length > 0)
}

const toAccount = ({ account }: { readonly account: string }): string => account

/**
 * Adds the accounts to the store first: after a crash before they are created, the next leader finds them. With little
 * money the first channel comes before the authority, since nothing can be settled without a channel.
 */
async function create(
  {
    create: indices,
    createAuthority,
    setMark,
  }: Pick<PoolPlan, 'create' | 'createAuthority' | 'setMark'>,
  deps: ApplyDeps,
): Promise<Applied> {
  const { network, sponsorSecret, write, funds, storeId } = deps
  const budget = budgetOf(deps)
  const affordable = affordableChannels(funds.sponsor, budget, setMark)
  const missing = {
    channels: indices.length,
    authorities: createAuthority ? 1 : 0,
    mark: setMark,
  }
  const lacks = shortfall(funds.sponsor, missing, budget)
  if (affordable === 0 && lacks !== undefined) return { kind: 'short', message: lacks }
  const limit = Math.min(affordable, CHANNELS_PER_ENVELOPE)
  const withAuthority = createAuthority && (indices.length === 0 || limit > 1)
  const batch = indices.slice(0, withAuthority ? limit - 1 : limit)
  const sponsor = signerFromSecret(sponsorSecret).address
  const authority = authoritySigner(sponsorSecret, network)
  const channels = batch.map((index) => channelSigner(sponsorSecret, network, index))
  if (withAuthority) {
    await write(putAuthorities, [{ network, sponsor, account: authority.address }])
  }
  if (channels.length > 0) {
    await write(
      addDrainingChannels,
      { network, sponsor },
      channels.map(({ address }, at) => ({ index: batch[at] ?? 0, account: address })),
    )
  }
  const accounts = withAuthority ? [...channels, authority] : channels
  const mark = setMark ? markOf(storeId, deps.mark) : undefined
  const outcome = await createChannels({ ...transactionOf(accounts, deps), mark })
  return toApplied('created', { count: batch.length, withAuthority }, outcome)
}

async function merge(indices: readonly number[], deps: ApplyDeps): Promise<Applied> {
  const { network, sponsorSecret } = deps
  const batch = indices.slice(0, CHANNELS_PER_ENVELOPE)
  const lacks = feeLacks(batch.length, deps)
  if (lacks !== undefined) return { kind: 'short', message: lacks }
  const channels = batch.map((index) => channelSigner(sponsorSecret, network, index))
  const outcome = await mergeChannels(mergeOf(channels, deps))
  return toApplied('merged', { count: batch.length, withAuthority: false }, outcome)
}

/** What only a sponsor with channels needs: its authority and its mark, in one transaction. */
async function removeRest(
  { mergeAuthority, removeMark }: Pick<PoolPlan, 'mergeAuthority' | 'removeMark'>,
  deps: ApplyDeps,
): Promise<Applied> {
  const accounts = mergeAuthority ? [authoritySigner(deps.sponsorSecret, deps.network)] : []
  const lacks = feeLacks(accounts.length + (removeMark ? 1 : 0), deps)
  if (lacks !== undefined) return { kind: 'short', message: lacks }
  const mark = removeMark ? noMark : undefined
  const outcome = await mergeChannels({ ...mergeOf(accounts, deps), mark })
  return toApplied('merged', { count: 0, withAuthority: mergeAuthority }, outcome)
}

/** The fee bump of a transaction whose source is a channel counts as an operation. */
const feeLacks = (
  operations: number,
  { funds, inclusionFee, payer }: ApplyDeps,
): string | undefined =>
  payer ? undefined : feeShortfall(funds.sponsor, BigInt(operations + 1) * inclusionFee, funds)

const toApplied = (
  kind: 'created' | 'merged',
  what: Pick<LedgerChange, 'count' | 'withAuthority'>,
  outcome: SponsorOutcome,
): Applied =>
  outcome.kind === 'done'
    ? { kind, ...what, hash: outcome.hash, ledger: outcome.ledger }
    : { kind: 'notSent' }

const mergeOf = (accounts: readonly Signer[], deps: ApplyDeps) => ({
  ...transactionOf(accounts, deps),
  rescue: deps.payer && { ...deps.payer, promised: deps.funds.promised },
})

const transactionOf = (accounts: readonly Signer[], deps: ApplyDeps) => {
  const { network, sponsorSecret, inclusionFee, rpc, write, clock, signal, tenure } = deps
  return {
    network,
    passphrase: passphrases[network],
    sponsor: signerFromSecret(sponsorSecret),
    channels: accounts,
    inclusionFee,
    rpc,
    clock,
    signal,
    tenure,
    leaseSource: () => leaseSource({ ...deps, inStore: (statement) => write(statement) }),
  }
}
