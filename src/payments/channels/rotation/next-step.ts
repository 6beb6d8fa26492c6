import { CHANNEL_RESERVE } from '../create/affordable-channels.ts'
import { unlockedBalance } from '../minimum-balance.ts'
import type { RotationOptions } from './options.ts'
import type { RotationView, SponsorView } from './view.ts'

/** What a rotation does next; each is done when the next view no longer asks for it. */
export type RotationStep =
  /** Emergency: sends what the old sponsor can spend to the new one, before anything else. */
  | { readonly do: 'save'; readonly amount: bigint }
  /** Creates what the new sponsor lacks. */
  | { readonly do: 'provision' }
  /** Waits until the replicas serve the new sponsor. */
  | { readonly do: 'move'; readonly stillOld: readonly string[]; readonly hasNew: boolean }
  /** Stops leasing the old sponsor's channels, and waits for its settlements. */
  | { readonly do: 'drain' }
  /** Merges the old sponsor's channels. */
  | { readonly do: 'retire' }
  /** Sends what is left to the new sponsor. */
  | { readonly do: 'sweep'; readonly how: 'merge' | 'payment'; readonly amount: bigint }
  | { readonly do: 'nothing' }

type Decision = Pick<
  RotationOptions,
  'mode' | 'sweep' | 'servesUpto' | 'inclusionFee' | 'inclusionFeeCap'
>

/** Below this an old sponsor is not worth a transaction that saves its XLM first. */
export const LEAST_SAVED = CHANNEL_RESERVE / 10n

/**
 * Decides; touches nothing. Everything it needs is in store and ledger, so a rotation goes on from wherever it was interrupted.
 * @param done steps of this process that are not repeated: what they leave behind, they cannot change; of the provision, that the new
 *   sponsor could not pay for it
 */
export function nextStep(
  view: RotationView,
  { mode, sweep, servesUpto, inclusionFee, inclusionFeeCap }: Decision,
  done: ReadonlySet<RotationStep['do']>,
): RotationStep {
  const { from, to, promised } = view
  const hasChannels = from.onLedger.size > 0 || from.stored.some(({ state }) => state !== 'retired')
  const isEmergency = mode === 'emergency'
  if (isEmergency && sweep !== 'none' && hasChannels) {
    const amount = movable(from, inclusionFeeCap) - promised
    if (amount >= LEAST_SAVED) return { do: 'save', amount }
  }
  const isLacking = lacks(view, servesUpto)
  if (isLacking && !done.has('provision')) return { do: 'provision' }
  if (hasChannels && !isEmergency && (from.servedBy.length > 0 || to.servedBy.length === 0)) {
    return { do: 'move', stillOld: from.servedBy, hasNew: to.servedBy.length > 0 }
  }
  if (!isFree(from, mode)) return { do: 'drain' }
  if (!done.has('retire') && (hasChannels || sponsors(from))) return { do: 'retire' }
  const last = done.has('sweep') ? nothing : lastStep(view, { sweep, inclusionFee })
  // It could not pay before: the old sponsor's reserves may suffice.
  return last.do === 'nothing' && isLacking ? { do: 'provision' } : last
}

const nothing: RotationStep = { do: 'nothing' }

/**
 * Whether no channel is leased, or can be. In an emergency those of settlements that wait for an administrator count as free: the max
 * time of their transactions is over.
 */
export const isFree = ({ stored }: SponsorView, mode: RotationOptions['mode']): boolean =>
  stored.every(
    ({ state, isLeased, heldBy }) =>
      state !== 'active' && !(isLeased && (heldBy === undefined || mode === 'planned')),
  )

/** Whether the new sponsor lacks a channel that can be leased, or its settlement authority. */
export function lacks({ to, wanted }: RotationView, servesUpto: boolean): boolean {
  const usable = to.stored.filter(
    ({ index, state }) => state === 'active' && to.onLedger.has(index) && index < wanted,
  )
  return usable.length < wanted || (servesUpto && !to.authority.isOnLedger)
}

/** Its account pays reserves of others, or has the mark. */
const sponsors = ({ account, mark }: SponsorView): boolean =>
  mark !== undefined || (account?.sponsoring ?? 0) > 0

/** What may leave the old sponsor so that it can still pay for the merges of its channels. */
function movable({ account, onLedger, authority }: SponsorView, bid: bigint): bigint {
  if (!account) return 0n
  const merges = onLedger.size + (authority.isOnLedger ? 1 : 0)
  // One more for the transaction itself, and a fee bump of it.
  return unlockedBalance(account) - BigInt(merges + 2) * bid
}

function lastStep(
  { from }: RotationView,
  { sweep, inclusionFee }: Pick<RotationOptions, 'sweep' | 'inclusionFee'>,
): RotationStep {
  const { account } = from
  if (!account || sweep === 'none') return nothing
  if (sweep === 'merge' && whyNotMerged(from) === undefined) {
    return { do: 'sweep', how: 'merge', amount: account.balance - inclusionFee }
  }
  const amount = unlockedBalance(account) - inclusionFee
  return amount > 0n ? { do: 'sweep', how: 'payment', amount } : nothing
}

/** Why the ledger would refuse to end the account; undefined when it would not. */
export function whyNotMerged({ account }: SponsorView): string | undefined {
  if (!account) return undefined
  if (account.sponsoring > 0) return `it pays ${account.sponsoring} reserves of other entries`
  return account.subentries > 0
    ? `it has ${account.subentries} entries of its own: trustlines, offers, data or signers`
    : undefined
}
