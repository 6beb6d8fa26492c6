import { createChannels } from '../../channels/create-channels.ts'
import { channelSigner } from '../../channels/derive.ts'
import { mergeChannels } from '../../channels/merge-channels.ts'
import type { SponsorOutcome, Tenure } from '../../channels/sponsor-transaction.ts'
import { type NetworkId, passphrases } from '../../core/caip2.ts'
import type { Clock } from '../../core/clock.ts'
import type { Stroops } from '../../core/stroops.ts'
import { CHANNELS_PER_ENVELOPE } from '../../stellar/channel-envelopes.ts'
import type { AccountState, StellarRpc } from '../../stellar/rpc.ts'
import { signerFromSecret } from '../../stellar/signer.ts'
import { putChannels } from '../../store/channels/channel.ts'
import { markRetired } from '../../store/channels/retire.ts'
import type { FencedWrite } from '../../store/pools/fence.ts'
import {
  announceChannels,
  drainPoolChannels,
  quarantineChannel,
} from '../../store/pools/pool-channels.ts'
import type { PoolPlan } from './plan.ts'

export interface PoolHands {
  readonly network: NetworkId
  readonly sponsorSecret: string
  /** Bid per operation. */
  readonly inclusionFee: Stroops
  readonly rpc: StellarRpc
  /** Under the fence of this leadership. */
  readonly write: FencedWrite
  readonly clock: Clock
  readonly signal: AbortSignal
  /** How long this leader leads at least. */
  readonly tenure: Tenure
}

/** A transaction of the sponsor's that a ledger has. */
export interface OnLedger {
  /** Channels it was about. */
  readonly count: number
  readonly hash: string
  readonly ledger: number | undefined
}

/** `settled`: there was nothing to do. Otherwise look again: what was planned on has changed. */
export type Carried =
  | { readonly kind: 'settled' }
  | { readonly kind: 'stored' }
  | ({ readonly kind: 'created' | 'merged' } & OnLedger)
  /** The network was busy, or somebody else uses the sponsor. */
  | { readonly kind: 'fruitless' }

/**
 * Makes the plan's steps in the store, or else one transaction of it on the ledger. One kind at a
 * time, so that what is done to an account on the ledger was planned on what the store says after
 * nobody could lease it any more. Throws `ProvisionFailure` or `RetireFailure` when the sponsor
 * cannot, `Fenced` or what `tenure` throws when another one leads.
 */
export async function carryOut(
  plan: PoolPlan,
  accounts: ReadonlyMap<number, AccountState>,
  hands: PoolHands,
): Promise<Carried> {
  if (await changeStore(plan, accounts, hands)) return { kind: 'stored' }
  if (plan.create.length > 0) return create(plan.create, hands)
  if (plan.merge.length > 0) return merge(plan.merge, hands)
  return { kind: 'settled' }
}

async function changeStore(
  plan: PoolPlan,
  accounts: ReadonlyMap<number, AccountState>,
  { network, sponsorSecret, write }: PoolHands,
): Promise<boolean> {
  const sponsor = signerFromSecret(sponsorSecret).address
  const pool = { network, sponsor }
  const entry = (index: number) => ({
    index,
    account: channelSigner(sponsorSecret, network, index).address,
  })
  const { quarantine, adopt, drain, retire, put } = plan
  const onLedger = (index: number) => {
    return { ...pool, ...entry(index), sequence: accounts.get(index)?.sequence }
  }
  for (const channel of quarantine) await write(quarantineChannel, pool, channel)
  if (adopt.length > 0) await write(announceChannels, pool, adopt.map(entry))
  if (drain.length > 0) await write(drainPoolChannels, pool, drain)
  if (retire.length > 0)
    await write(markRetired, network, sponsor, retire.map(entry).map(toAccount))
  if (put.length > 0) await write(putChannels, put.map(onLedger))
  return [quarantine, adopt, drain, retire, put].some((step) => step.length > 0)
}

const toAccount = ({ account }: { readonly account: string }): string => account

/** Known before it exists: an account that nobody knows could never be found again. */
async function create(indices: readonly number[], hands: PoolHands): Promise<Carried> {
  const { network, write } = hands
  const batch = indices.slice(0, CHANNELS_PER_ENVELOPE)
  const terms = transactionOf(batch, hands)
  await write(
    announceChannels,
    { network, sponsor: terms.sponsor.address },
    terms.channels.map(({ address }, at) => ({ index: batch[at] ?? 0, account: address })),
  )
  return carried('created', batch.length, await createChannels(terms))
}

async function merge(indices: readonly number[], hands: PoolHands): Promise<Carried> {
  const batch = indices.slice(0, CHANNELS_PER_ENVELOPE)
  return carried('merged', batch.length, await mergeChannels(transactionOf(batch, hands)))
}

const carried = (kind: 'created' | 'merged', count: number, outcome: SponsorOutcome): Carried =>
  outcome.kind === 'done'
    ? { kind, count, hash: outcome.hash, ledger: outcome.ledger }
    : { kind: 'fruitless' }

const transactionOf = (indices: readonly number[], hands: PoolHands) => {
  const { network, sponsorSecret, inclusionFee, rpc, clock, signal, tenure } = hands
  return {
    network,
    passphrase: passphrases[network],
    sponsor: signerFromSecret(sponsorSecret),
    channels: indices.map((index) => channelSigner(sponsorSecret, network, index)),
    inclusionFee,
    rpc,
    clock,
    signal,
    tenure,
  }
}
