/**
 * The phases of a rotation, what each waits for, and what it says: one table for `svc rotate`, which keeps the phase in memory and begins
 * with the first one whenever it is run, and for the operator, which keeps it in the status of the pool.
 */
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { RotationPhase } from './phase-names.ts'

/** The whole state of a rotation. */
export interface RotationState {
  readonly phase: RotationPhase
  /** Emergency: others may know the seed of the old sponsor. */
  readonly mode: 'Planned' | 'Emergency'
  /** Rises with each change of the phase. */
  readonly step: number
  /** Whether it leads back to the old sponsor. */
  readonly aborting: boolean
  /** The sponsor whose channels replicas are to use: the old one or the new one. */
  readonly serving: 'From' | 'To'
  /** Whether both seeds have to stay readable. */
  readonly holdsSecrets: boolean
  /** Ready channels of the new sponsor, and those it should have: `8/8`. */
  readonly channelsMoved: string
  /** When the phase began, ISO 8601. */
  readonly since: string
  /** The work, the wait, or the problem of the phase. */
  readonly message: string
  /** Whether only an administrator can end what is in the way. */
  readonly blocked: boolean
  /** XLM that did not reach the new sponsor; of an emergency that has ended. */
  readonly lostXlm?: string | undefined
  readonly account?: { readonly takenXlm: string } | undefined
}

/** The observations of a pass, after it did what the phase asks for. */
export interface RotationFacts {
  /** Unix ms. */
  readonly now: number
  /** The problem that only an administrator can solve, in a sentence; undefined when nothing is in the way. */
  readonly problem: string | undefined
  /** The event that this process waits for without an administrator, such as a busy network; undefined when for nothing. */
  readonly waits?: string | undefined
  /** Whether both Secrets hold the same seed. */
  readonly isSameAccount: boolean
  /** The largest time in seconds for which a buyer may sign with the scheme upto; undefined when no Facilitator of the pool serves it. */
  readonly uptoSeconds: number | undefined
  /** Channels of the new sponsor. */
  readonly arrived: {
    readonly ready: number
    readonly desired: number
    readonly hasAuthority: boolean
  }
  /** The reason why pods do not mount the seeds of this step yet; undefined when all do, or none are managed. */
  readonly pods?: PodsToWaitFor | undefined
  /** Machines and pods that still serve the sponsor which replicas are to leave, by the heartbeats in the store. */
  readonly replicas: readonly string[]
  /** Where an administrator restarts replicas: whether none serves the new sponsor yet. */
  readonly byHand?: { readonly lacksReplica: boolean } | undefined
  /** The sponsor that is to end without channels. */
  readonly left: {
    /** Accounts on the ledger. */
    readonly accounts: number
    /** The users of channels, as `holdersSentence` says it; undefined when nothing does. */
    readonly holders: string | undefined
    /** Whether nothing of it is left, neither on the ledger nor in the store. */
    readonly isEmpty: boolean
  }
  /** Whether what the old sponsor can spend has gone to the new one. */
  readonly isSwept: boolean
  /** `spec.rotation.sweep` is None. */
  readonly keepsFunds: boolean
}

export interface PodsToWaitFor {
  /** The event that is waited for, in a sentence. */
  readonly waits: string
  /** Why only an administrator can end that, in a sentence; undefined when it ends by itself. */
  readonly stuck: string | undefined
}

interface PhaseRule {
  /** The event that the phase still waits for, in a sentence; undefined when it is over. */
  readonly waitsFor: (rotation: RotationState, facts: RotationFacts) => string | undefined
  /** The part of it that only an administrator can end, in a sentence. */
  readonly blockedBy?: (facts: RotationFacts) => string | undefined
  readonly next: (rotation: RotationState, facts: RotationFacts) => RotationPhase
  /** The message at the start of the phase. */
  readonly begins: (rotation: RotationState) => string
}

/** The time between the max time of an authorization and the ledger that refuses it; clocks differ, too. */
const EXPIRY_MARGIN_SECONDS = 30

const many = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`
export const listed = (names: readonly string[]): string =>
  names.length > 5
    ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
    : names.join(', ')

const forReplicas = (
  _: RotationState,
  { pods, replicas, byHand }: RotationFacts,
): string | undefined => {
  if (pods) return pods.waits
  if (replicas.length > 0) {
    const verb = replicas.length === 1 ? 'serves' : 'serve'
    const todo = byHand ? ': restart one replica after the other with the new seed' : ''
    return `${listed(replicas)} still ${verb} the other sponsor, by its heartbeats in the store${todo}.`
  }
  return byHand?.lacksReplica
    ? 'No replica serves the new sponsor yet: start one with the new seed.'
    : undefined
}

const byStuckPods = ({ pods }: RotationFacts): string | undefined => pods?.stuck

const forChannels = ({ mode }: RotationState, { arrived }: RotationFacts): string | undefined => {
  const { ready, desired, hasAuthority } = arrived
  // A leaked sponsor sends no more settlements: one channel of the new sponsor is better than none.
  const enough = mode === 'Emergency' ? Math.min(1, desired) : desired
  if (ready < enough) return `${ready} of ${many(desired, 'channel')} of the new sponsor are ready.`
  return hasAuthority || desired === 0 || mode === 'Emergency'
    ? undefined
    : 'The settlement authority of the new sponsor is to be added.'
}

const forExpiry = (
  { since }: RotationState,
  { now, uptoSeconds = 0 }: RotationFacts,
): string | undefined => {
  const until = Date.parse(since) + (uptoSeconds + EXPIRY_MARGIN_SECONDS) * 1_000
  return now < until
    ? `What buyers signed for the other sponsor's authority can be settled for up to ${uptoSeconds} s.`
    : undefined
}

const forEmptiness = (
  _: RotationState,
  { left: { accounts, holders, isEmpty } }: RotationFacts,
) => {
  if (isEmpty) return undefined
  return `${[`${many(accounts, 'account')} to merge`, holders].filter(Boolean).join('; ')}.`
}

/** Says what an emergency lost, with a space before it. */
function losses({ lostXlm, account }: RotationState): string {
  if (lostXlm === undefined || lostXlm === '0') return ''
  const says = ` Of what the old sponsor had, ${lostXlm} XLM did not reach the new one:`
  const taken = account?.takenXlm
  if (taken === undefined) return `${says} fees, and what others took.`
  return taken === '0'
    ? `${says} fees. Others took nothing.`
    : `${says} others took ${taken} XLM, the rest was fees.`
}

const serves = ({ aborting }: RotationState): string => (aborting ? 'old' : 'new')

const rules: Readonly<Record<RotationPhase, PhaseRule>> = {
  Checking: {
    waitsFor: () => undefined,
    next: ({ mode }, { isSameAccount }) => {
      if (isSameAccount) return 'Done'
      return mode === 'Emergency' ? 'Rescuing' : 'Provisioning'
    },
    begins: () => 'The new sponsor is checked.',
  },
  Rescuing: {
    waitsFor: (_, { isSwept }) =>
      isSwept ? undefined : 'What the old sponsor can spend goes to the new one.',
    next: () => 'Provisioning',
    begins: () => 'What the old sponsor can spend goes to the new one, before anything else.',
  },
  Provisioning: {
    waitsFor: forChannels,
    next: ({ mode }, { uptoSeconds }) =>
      mode === 'Planned' && uptoSeconds !== undefined ? 'Introducing' : 'Moving',
    begins: () => 'Channels of the new sponsor are created.',
  },
  Introducing: {
    // After a way back that was not taken, channels may be missing again.
    waitsFor: (rotation, facts) => forReplicas(rotation, facts) ?? forChannels(rotation, facts),
    blockedBy: byStuckPods,
    next: () => 'Moving',
    begins: () =>
      'The pods learn the new sponsor, whose payments of the scheme upto they then accept.',
  },
  Moving: {
    waitsFor: forReplicas,
    blockedBy: byStuckPods,
    next: ({ mode }, { uptoSeconds }) =>
      mode === 'Planned' && uptoSeconds !== undefined ? 'Expiring' : 'Retiring',
    begins: (rotation) => `The pods are replaced: new ones serve the ${serves(rotation)} sponsor.`,
  },
  Expiring: {
    waitsFor: forExpiry,
    next: () => 'Unmounting',
    begins: () =>
      "All pods have moved. What buyers signed for the other sponsor's authority is still settled.",
  },
  Unmounting: {
    waitsFor: forReplicas,
    blockedBy: byStuckPods,
    next: () => 'Retiring',
    begins: (rotation) =>
      `The pods are replaced: new ones have the seed of the ${serves(rotation)} sponsor alone.`,
  },
  Retiring: {
    waitsFor: forEmptiness,
    next: ({ aborting, mode }, { keepsFunds }) => {
      if (aborting) return 'Aborted'
      return keepsFunds && mode === 'Planned' ? 'Done' : 'Sweeping'
    },
    begins: ({ aborting }) =>
      `The channels of the ${aborting ? 'new' : 'old'} sponsor are merged into it, once their settlements have ended.`,
  },
  Sweeping: {
    waitsFor: (_, { isSwept }) =>
      isSwept ? undefined : 'What the old sponsor has left goes to the new one.',
    next: () => 'Done',
    begins: () => 'What the old sponsor has left goes to the new one.',
  },
  Done: {
    waitsFor: () => undefined,
    next: () => 'Done',
    begins: (rotation) =>
      `The pool has its new sponsor. Nothing uses the old Secret any more: delete it.${losses(rotation)}`,
  },
  Aborted: {
    waitsFor: () => undefined,
    next: () => 'Aborted',
    begins: () => 'The pool has its old sponsor. Nothing uses the other Secret.',
  },
}

/** The sponsor that pods serve from each of these phases on. */
const servingAt: Partial<Record<RotationPhase, RotationState['serving']>> = {
  Moving: 'To',
  Done: 'To',
}

/** A rotation before its first pass. */
export const beginning = ({
  mode,
  step,
  now,
}: Pick<RotationState, 'mode' | 'step'> & Pick<RotationFacts, 'now'>) =>
  ({
    phase: 'Checking',
    mode,
    step,
    aborting: false,
    serving: 'From',
    holdsSecrets: false,
    channelsMoved: '0/0',
    since: isoTime(now),
    message: 'The new sponsor is checked.',
    blocked: false,
  }) as const satisfies RotationState

/** The rotation after a pass. Its phase changes when nothing is in the way and all that it waits for has happened. */
export function advanced<State extends RotationState>(
  rotation: State,
  facts: RotationFacts,
): State {
  const { arrived, now } = facts
  const channelsMoved = `${Math.min(arrived.ready, arrived.desired)}/${arrived.desired}`
  const counted = rotation.aborting ? rotation : { ...rotation, channelsMoved }
  const rule = rules[rotation.phase]
  const problem = facts.problem ?? rule.blockedBy?.(facts)
  if (problem !== undefined) return { ...counted, message: problem, blocked: true }
  const message = facts.waits ?? rule.waitsFor(rotation, facts)
  if (message !== undefined) return { ...counted, message, blocked: false }
  const phase = rule.next(rotation, facts)
  if (phase === rotation.phase) return counted
  const serving = (!rotation.aborting && servingAt[phase]) || rotation.serving
  // Written before a Secret gets its finalizer, so that no crash leaves one behind.
  const holdsSecrets = rotation.holdsSecrets || (phase !== 'Done' && phase !== 'Aborted')
  return inPhase({ ...counted, serving, holdsSecrets }, phase, {
    now,
    message: rules[phase].begins(rotation),
  })
}

/** The rotation at the begin of this phase. */
export const inPhase = <State extends RotationState>(
  rotation: State,
  phase: RotationPhase,
  { now, message }: { readonly now: number; readonly message: string },
): State => ({
  ...rotation,
  phase,
  step: rotation.step + 1,
  since: isoTime(now),
  message,
  blocked: false,
})
