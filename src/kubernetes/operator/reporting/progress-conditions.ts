import type { Observation } from '../../runtime/objects/conditions.ts'

/**
 * `Reconciling` and `Stalled`, by which kstatus, and so Flux and `kubectl wait`, judge a resource before they look at
 * Ready: at most one of them is True. None without Progressing: then both stay as they were.
 * @param cause the condition that says why nothing goes on before an administrator acts
 */
export function progressConditions(
  conditions: readonly Observation[],
  cause: Observation | undefined,
): readonly Observation[] {
  const progressing = conditions.find(({ type }) => type === 'Progressing')
  if (!progressing) return []
  const isReconciling = progressing.status === 'True' && !cause
  return [
    { ...progressing, type: 'Reconciling', status: isReconciling ? 'True' : 'False' },
    { ...(cause ?? progressing), type: 'Stalled', status: cause ? 'True' : 'False' },
  ]
}
