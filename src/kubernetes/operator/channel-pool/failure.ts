import type { ChannelPoolCondition } from '../../crd/channel-pool/conditions.ts'
import { isKubeError } from '../../runtime/client/kube-error.ts'
import { failedConditions, isUnexpected } from '../reporting/unexpected-error.ts'
import { blockedConditions } from './deletion/deletion-progress.ts'

/**
 * The conditions of a pool after an error that is not one of its blockers; none for an error that the next pass no longer meets. During
 * a deletion the message names the way out.
 */
export function failureConditions(
  error: unknown,
  isDeletion: boolean,
  signal: AbortSignal,
): readonly ChannelPoolCondition[] {
  const conditions = conditionsOf(error, signal)
  const [first] = conditions
  return first && isDeletion ? blockedConditions(first.message, first.reason) : conditions
}

function conditionsOf(error: unknown, signal: AbortSignal): readonly ChannelPoolCondition[] {
  if (isKubeError(error, 'forbidden')) {
    const message = `The operator lacks a permission: ${error.message}. Grant it; the roles of the chart have all that it needs.`
    return [{ type: 'Degraded', status: 'True', reason: 'Forbidden', message }]
  }
  return isUnexpected(error, signal) ? failedConditions('ChannelPool', error) : []
}
