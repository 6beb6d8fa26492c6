/** The facts of a rotation for `svc rotate`, as its phases ask for them: pure functions over a view of store and ledger. */
import { CHANNEL_RESERVE } from '../create/affordable-channels.ts'
import { heldOf, holdersSentence } from '../held-channels.ts'
import { unlockedBalance } from '../minimum-balance.ts'
import type { RotationOptions } from './options.ts'
import type { RotationFacts, RotationState } from './phases.ts'
import type { RotationView, SponsorView } from './view.ts'

/** The work of this process that store and ledger do not show. */
export interface DoneHere {
  /** The new sponsor could not pay for its channels yet: the old one's reserves may be what it lacks. */
  readonly isShort: boolean
  /** A retirement was done: another one cannot change what it left. */
  readonly isRetired: boolean
  readonly isSwept: boolean
}

/** XLM that the old sponsor sends to the new one. */
export type Sending =
  /** In an emergency, before anything else. */
  | { readonly do: 'save'; readonly amount: bigint }
  /** The sum that is left at the end. */
  | { readonly do: 'sweep'; readonly how: 'merge' | 'payment'; readonly amount: bigint }

/** Below this an old sponsor is not worth a transaction that saves its XLM first. */
export const LEAST_SAVED = CHANNEL_RESERVE / 10n

type Given = Pick<
  RotationOptions,
  'mode' | 'sweep' | 'servesUpto' | 'inclusionFee' | 'inclusionFeeCap'
>

/** The sum to send in this phase; undefined for nothing. */
export function sendingOf(
  { phase }: Pick<RotationState, 'phase'>,
  { from, promised }: RotationView,
  { mode, sweep, inclusionFee, inclusionFeeCap }: Given,
): Sending | undefined {
  if (sweep === 'none' || phase === 'Checking') return undefined
  if (phase === 'Sweeping') return lastSending(from, { sweep, inclusionFee })
  if (mode === 'planned' || !hasChannels(from)) return undefined
  const amount = movable(from, inclusionFeeCap) - promised
  return amount >= LEAST_SAVED ? { do: 'save', amount } : undefined
}

function lastSending(
  from: SponsorView,
  { sweep, inclusionFee }: Pick<Given, 'sweep' | 'inclusionFee'>,
): Sending | undefined {
  const { account } = from
  if (!account) return undefined
  if (sweep === 'merge' && whyNotMerged(from) === undefined) {
    return { do: 'sweep', how: 'merge', amount: account.balance - inclusionFee }
  }
  const amount = unlockedBalance(account) - inclusionFee
  return amount > 0n ? { do: 'sweep', how: 'payment', amount } : undefined
}

/** The facts that the phases wait for. */
export function rotationFacts(
  phase: Pick<RotationState, 'phase'>,
  view: RotationView,
  given: Given,
  done: DoneHere,
): RotationFacts {
  const { from, to, wanted, readAt } = view
  const { mode, servesUpto } = given
  const waitsForReplicas = mode === 'planned' && hasChannels(from)
  const isSent = sendingOf(phase, view, given) === undefined
  return {
    now: readAt,
    problem: undefined,
    isSameAccount: false,
    // The command does not know for how long buyers sign: it keeps the authority.
    uptoSeconds: undefined,
    arrived: {
      ready: usableOf(view),
      desired: done.isShort ? 0 : wanted,
      hasAuthority: !servesUpto || to.authority.isOnLedger,
    },
    replicas: waitsForReplicas ? from.servedBy : [],
    byHand: { lacksReplica: waitsForReplicas && to.servedBy.length === 0 },
    left: {
      accounts: from.onLedger.size,
      // Channels of an unresolvable settlement are not waited for.
      holders: holdersSentence(heldOf(from.stored.filter(({ heldBy }) => heldBy === undefined))),
      isEmpty: isFree(from, mode) && !mustRetire(from, done),
    },
    isSwept: isSent || (phase.phase === 'Sweeping' && done.isSwept),
    keepsFunds: given.sweep === 'none',
  }
}

/** Whether it has channels on the ledger, or the store still has some of it. */
const hasChannels = ({ onLedger, stored }: SponsorView): boolean =>
  onLedger.size > 0 || stored.some(({ state }) => state !== 'retired')

/** Whether its channels are to be merged, or entries that it pays for besides. */
export const mustRetire = (from: SponsorView, { isRetired }: Pick<DoneHere, 'isRetired'>) =>
  !isRetired && (hasChannels(from) || sponsors(from))

/**
 * Whether no channel is leased, or can be. In an emergency those of unresolvable settlements count as free: the max
 * time of their transactions is over.
 */
export const isFree = ({ stored }: SponsorView, mode: RotationOptions['mode']): boolean =>
  stored.every(
    ({ state, isLeased, heldBy }) =>
      state !== 'active' && !(isLeased && (heldBy === undefined || mode === 'planned')),
  )

/** Channels of the new sponsor that can be leased, of those that it shall have. */
export const usableOf = ({ to, wanted }: RotationView): number =>
  to.stored.filter(
    ({ index, state }) => state === 'active' && to.onLedger.has(index) && index < wanted,
  ).length

/** Whether the new sponsor lacks a channel that can be leased, or its settlement authority. */
export const lacks = (view: RotationView, servesUpto: boolean): boolean =>
  usableOf(view) < view.wanted || (servesUpto && !view.to.authority.isOnLedger)

/** Its account pays reserves of others, or has the mark. */
const sponsors = ({ account, mark }: SponsorView): boolean =>
  mark !== undefined || (account?.sponsoring ?? 0) > 0

/** The sum that may leave the old sponsor so that it can still pay for the merges of its channels. */
function movable({ account, onLedger, authority }: SponsorView, bid: bigint): bigint {
  if (!account) return 0n
  const merges = onLedger.size + (authority.isOnLedger ? 1 : 0)
  // One more for the transaction itself, and a fee bump of it.
  return unlockedBalance(account) - BigInt(merges + 2) * bid
}

/** Why the ledger would refuse to end the account; undefined when it would not. */
export function whyNotMerged({ account }: SponsorView): string | undefined {
  if (!account) return undefined
  if (account.sponsoring > 0) return `it pays ${account.sponsoring} reserves of other entries`
  return account.subentries > 0
    ? `it has ${account.subentries} entries of its own: trustlines, offers, data or signers`
    : undefined
}
