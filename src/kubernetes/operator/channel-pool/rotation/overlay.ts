import { formatXlm, stroopsFromLumens } from '../../../../platform/core/amounts/stroops.ts'
import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import { MAX_MESSAGE_LENGTH } from '../../../crd/fields/conditions.ts'
import type { EventFacts } from '../../../runtime/events/events.ts'
import { isUnderWay, type Rotation } from '../../references/rotation-state.ts'

/** The API server refuses a status with a longer message. */
export const withinLimit = (rotation: Rotation): Rotation => ({
  ...rotation,
  message: rotation.message.slice(0, MAX_MESSAGE_LENGTH),
})

/** The conditions of a pool that moves to another sponsor; Ready and Funded speak of the sponsor in use. */
export function rotatingConditions(
  conditions: readonly ChannelPoolCondition[],
  rotation: Rotation,
): readonly ChannelPoolCondition[] {
  if (!isUnderWay(rotation)) return conditions
  return conditions.map((condition) => overlay(condition, rotation))
}

function overlay(condition: ChannelPoolCondition, rotation: Rotation): ChannelPoolCondition {
  const { blocked, phase, message } = rotation
  const { type } = condition
  if (type === 'Progressing') {
    const says = `${phase}: ${message}`
    return blocked
      ? { type, status: 'False', reason: 'RotationBlocked', message: says }
      : { type, status: 'True', reason: 'Rotating', message: says }
  }
  if (type === 'Degraded' && blocked) {
    return { type, status: 'True', reason: 'RotationBlocked', message: `${phase}: ${message}` }
  }
  // Its channels go, as the administrator asked for: nobody has to raise their number.
  if (type === 'Ready' && condition.reason === 'Empty' && rotation.mode === 'Emergency') {
    const says = `Settlements of the old sponsor have ended, and the new one does not serve yet: ${message}`
    return { type, status: 'False', reason: 'Rotating', message: says }
  }
  return condition
}

/** One for each phase that begins, and one for what comes in the way. */
export function rotationEvents(
  before: Rotation | undefined,
  now: Rotation | undefined,
): readonly EventFacts[] {
  if (!now) return []
  return [...thefts(before, now), ...phaseEvents(before, now)]
}

/** In an emergency only the operator should spend what the old sponsor has. */
function thefts(before: Rotation | undefined, now: Rotation): readonly EventFacts[] {
  if (now.mode !== 'Emergency' || !now.account) return []
  const taken = stroopsFromLumens(now.account.takenXlm)
  const news = taken - stroopsFromLumens(before?.account?.takenXlm ?? '0')
  if (news <= 0n) return []
  const note = `${formatXlm(news)} of the old sponsor ${now.from.address} went to another account than that of the new one: others have its seed. That makes ${formatXlm(taken)} since the rotation began.`
  return [{ type: 'Warning', reason: 'FundsTaken', action: 'Rotate', note }]
}

function phaseEvents(before: Rotation | undefined, now: Rotation): readonly EventFacts[] {
  const { phase, message, blocked, step } = now
  const action = 'Rotate'
  const note = `${phase}: ${message}`
  if (before?.step !== step) {
    const reasons: Partial<Record<Rotation['phase'], string>> = {
      Done: 'RotationDone',
      Aborted: 'RotationAborted',
    }
    return [{ type: 'Normal', reason: reasons[phase] ?? 'Rotating', action, note }]
  }
  const isNewlyBlocked = blocked && (!before?.blocked || before.message !== message)
  return isNewlyBlocked ? [{ type: 'Warning', reason: 'RotationBlocked', action, note }] : []
}
