import { MAX_MESSAGE_LENGTH } from '../../../crd/fields/conditions.ts'
import type { Rotation, RotationPhase } from '../../references/rotation-state.ts'
import { inPhase } from './steer.ts'
import type { FacilitatorToWaitFor } from './user-facts.ts'

/** What a pass observed after it did what the phase asks for. */
export interface RotationFacts {
  /** Unix ms. */
  readonly now: number
  /** What only an administrator can solve, in a sentence; undefined when nothing is in the way. */
  readonly problem: string | undefined
  /** What this process waits for without an administrator, such as a busy network; undefined when for nothing. */
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
  /** Facilitators whose pods do not all mount the seeds of this step. */
  readonly facilitators: readonly FacilitatorToWaitFor[]
  /** Machines and pods that still serve the sponsor which the pods are to leave, by the heartbeats in the store. */
  readonly replicas: readonly string[]
  /** The sponsor that is to end without channels. */
  readonly left: {
    /** Accounts on the ledger. */
    readonly accounts: number
    /** What still uses channels, as `holdersSentence` says it; undefined when nothing does. */
    readonly holders: string | undefined
    /** Whether nothing of it is left, neither on the ledger nor in the store. */
    readonly isEmpty: boolean
  }
  /** Whether what the old sponsor can spend has gone to the new one. */
  readonly isSwept: boolean
  /** `spec.rotation.sweep` is None. */
  readonly keepsFunds: boolean
}

interface PhaseRule {
  /** What the phase still waits for, in a sentence; undefined when it is over. */
  readonly waitsFor: (rotation: Rotation, facts: RotationFacts) => string | undefined
  /** What of it only an administrator can end, in a sentence. */
  readonly blockedBy?: (facts: RotationFacts) => string | undefined
  readonly next: (rotation: Rotation, facts: RotationFacts) => RotationPhase
  /** Of its begin. */
  readonly begins: (rotation: Rotation) => string
}

/** Between the max time of an authorization and the ledger that refuses it; clocks differ, too. */
const EXPIRY_MARGIN_SECONDS = 30

const many = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`
const listed = (names: readonly string[]): string =>
  names.length > 5
    ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
    : names.join(', ')

const forPods = (_: Rotation, { facilitators, replicas }: RotationFacts): string | undefined => {
  if (facilitators.length > 0) {
    const names = listed(facilitators.map(({ name }) => name))
    const failing = facilitators.find(({ trouble }) => trouble !== undefined)
    const why = failing ? ` Of ${failing.name}: ${failing.trouble?.says}` : ''
    return `The pods of Facilitator ${names} are replaced.${why}`
  }
  return replicas.length > 0
    ? `${listed(replicas)} still ${replicas.length === 1 ? 'serves' : 'serve'} the other sponsor, by its heartbeats in the store.`
    : undefined
}

const byStuckPods = ({ facilitators }: RotationFacts): string | undefined => {
  const [first, ...others] = facilitators.filter(({ trouble }) => trouble?.isStuck)
  if (!first) return undefined
  const more =
    others.length > 0 ? ` Neither are those of ${listed(others.map(({ name }) => name))}.` : ''
  const says = `The pods of Facilitator ${first.name} are not replaced: its rollout has stopped.${more}`
  return `${says} It says ${first.trouble?.says}`
}

const forChannels = ({ mode }: Rotation, { arrived }: RotationFacts): string | undefined => {
  const { ready, desired, hasAuthority } = arrived
  // Of a leaked sponsor no settlement is sent any more: one channel is better than none.
  const enough = mode === 'Emergency' ? Math.min(1, desired) : desired
  if (ready < enough) return `${ready} of ${many(desired, 'channel')} of the new sponsor are ready.`
  return hasAuthority || desired === 0 || mode === 'Emergency'
    ? undefined
    : 'The settlement authority of the new sponsor is to be added.'
}

const forExpiry = (
  { since }: Rotation,
  { now, uptoSeconds = 0 }: RotationFacts,
): string | undefined => {
  const until = Date.parse(since) + (uptoSeconds + EXPIRY_MARGIN_SECONDS) * 1_000
  return now < until
    ? `What buyers signed for the other sponsor's authority can be settled for up to ${uptoSeconds} s.`
    : undefined
}

const forEmptiness = (_: Rotation, { left: { accounts, holders, isEmpty } }: RotationFacts) => {
  if (isEmpty) return undefined
  return `${[`${many(accounts, 'account')} to merge`, holders].filter(Boolean).join('; ')}.`
}

/** Of an emergency, with a space before it. */
function losses({ lostXlm, account }: Rotation): string {
  if (lostXlm === undefined || lostXlm === '0') return ''
  const says = ` Of what the old sponsor had, ${lostXlm} XLM did not reach the new one:`
  const taken = account?.takenXlm
  if (taken === undefined) return `${says} fees, and what others took.`
  return taken === '0'
    ? `${says} fees. Others took nothing.`
    : `${says} others took ${taken} XLM, the rest was fees.`
}

const serves = ({ aborting }: Rotation): string => (aborting ? 'old' : 'new')

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
    waitsFor: (rotation, facts) => forPods(rotation, facts) ?? forChannels(rotation, facts),
    blockedBy: byStuckPods,
    next: () => 'Moving',
    begins: () =>
      'The pods learn the new sponsor, whose payments of the scheme upto they then accept.',
  },
  Moving: {
    waitsFor: forPods,
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
    waitsFor: forPods,
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

/** The API server refuses a status with a longer one. */
const cut = (message: string): string => message.slice(0, MAX_MESSAGE_LENGTH)

/** In which phases pods serve the new sponsor from then on. */
const servingAt: Partial<Record<RotationPhase, Rotation['serving']>> = { Moving: 'To', Done: 'To' }

/** The rotation after a pass. Its phase changes when nothing is in the way and all that it waits for has happened. */
export function advanced(rotation: Rotation, facts: RotationFacts): Rotation {
  const { arrived, now } = facts
  const channelsMoved = `${Math.min(arrived.ready, arrived.desired)}/${arrived.desired}`
  const counted = rotation.aborting ? rotation : { ...rotation, channelsMoved }
  const rule = rules[rotation.phase]
  const problem = facts.problem ?? rule.blockedBy?.(facts)
  if (problem !== undefined) return { ...counted, message: cut(problem), blocked: true }
  const message = facts.waits ?? rule.waitsFor(rotation, facts)
  if (message !== undefined) return { ...counted, message: cut(message), blocked: false }
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
