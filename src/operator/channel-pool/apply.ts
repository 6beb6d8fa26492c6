import { affordableChannels, shortfall } from '../../channels/affordable-channels.ts'
import { createChannels } from '../../channels/create-channels.ts'
import { authoritySigner, channelSigner } from '../../channels/derive.ts'
import { mergeChannels } from '../../channels/merge-channels.ts'
import type { SponsorOutcome, Tenure } from '../../channels/sponsor-transaction.ts'
import { leaseSource } from '../../channels/transaction-source.ts'
import { type NetworkId, passphrases } from '../../core/caip2.ts'
import type { Clock } from '../../core/clock.ts'
import type { Stroops } from '../../core/stroops.ts'
import { CHANNELS_PER_ENVELOPE } from '../../stellar/channel-envelopes.ts'
import type { AccountState, StellarRpc } from '../../stellar/rpc.ts'
import { type Signer, signerFromSecret } from '../../stellar/signer.ts'
import { putChannels } from '../../store/channels/channel.ts'
import { markRetired } from '../../store/channels/retire.ts'
import type { Store } from '../../store/open.ts'
import type { FencedWrite } from '../../store/pools/fence.ts'
import {
  addDrainingChannels,
  drainPoolChannels,
  quarantineChannel,
} from '../../store/pools/pool-channels.ts'
import { putAuthorities } from '../../store/upto/authorities.ts'
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
  readonly funds: PoolFunds
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
  /** The sponsor cannot pay for another account; the message says what it lacks for all. */
  | { readonly kind: 'short'; readonly message: string }

/**
 * Makes the plan's changes in the store, or else one transaction of it on the ledger. Never both: an account
 * is changed on the ledger only by a plan made after the store has stopped every lease of its channel.
 * Throws `ProvisionFailure` or `RetireFailure` when the sponsor cannot pay, `Fenced` or what `tenure` throws
 * when another operator leads.
 */
export async function applyPlan(
  plan: PoolPlan,
  accounts: ReadonlyMap<number, AccountState>,
  deps: ApplyDeps,
): Promise<Applied> {
  if (await changeStore(plan, accounts, deps)) return { kind: 'storeChanged' }
  if (plan.create.length > 0 || plan.createAuthority) return create(plan, deps)
  if (plan.merge.length > 0) return merge(plan.merge, deps)
  if (plan.mergeAuthority) return mergeAuthority(deps)
  return { kind: 'unchanged' }
}

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
  { create: indices, createAuthority }: Pick<PoolPlan, 'create' | 'createAuthority'>,
  deps: ApplyDeps,
): Promise<Applied> {
  const { network, sponsorSecret, write, funds, inclusionFee } = deps
  const budget = { ...funds, inclusionFee }
  const affordable = affordableChannels(funds.sponsor, budget)
  const missing = { channels: indices.length, authorities: createAuthority ? 1 : 0 }
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
  const outcome = await createChannels(transactionOf(accounts, deps))
  return toApplied('created', { count: batch.length, withAuthority }, outcome)
}

async function merge(indices: readonly number[], deps: ApplyDeps): Promise<Applied> {
  const { network, sponsorSecret } = deps
  const batch = indices.slice(0, CHANNELS_PER_ENVELOPE)
  const channels = batch.map((index) => channelSigner(sponsorSecret, network, index))
  const outcome = await mergeChannels(transactionOf(channels, deps))
  return toApplied('merged', { count: batch.length, withAuthority: false }, outcome)
}

async function mergeAuthority(deps: ApplyDeps): Promise<Applied> {
  const authority = authoritySigner(deps.sponsorSecret, deps.network)
  const outcome = await mergeChannels(transactionOf([authority], deps))
  return toApplied('merged', { count: 0, withAuthority: true }, outcome)
}

const toApplied = (
  kind: 'created' | 'merged',
  what: Pick<LedgerChange, 'count' | 'withAuthority'>,
  outcome: SponsorOutcome,
): Applied =>
  outcome.kind === 'done'
    ? { kind, ...what, hash: outcome.hash, ledger: outcome.ledger }
    : { kind: 'notSent' }

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
