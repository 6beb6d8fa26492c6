/** `metav1.Condition`. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  /** One CamelCase word, never empty. */
  readonly reason: string
  readonly message: string
}

/** What is observed of one condition; times and generations are added. */
export type Observation = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

export interface Observed {
  /** The generation that was looked at. */
  readonly generation: number
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/**
 * The conditions after an observation, in the order in which they were first seen. Those not observed now
 * stay as they are. `lastTransitionTime` moves only when the status does.
 */
export function setConditions(
  known: readonly Condition[],
  observations: readonly Observation[],
  { generation, now }: Observed,
): readonly Condition[] {
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')
  const conditions = new Map(known.map((condition) => [condition.type, condition]))
  for (const { type, status, reason, message } of observations) {
    const before = conditions.get(type)
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time
    conditions.set(type, {
      type,
      status,
      observedGeneration: generation,
      lastTransitionTime,
      reason,
      message,
    })
  }
  return [...conditions.values()]
}

/** Every known type as Unknown, for the first sight of an object. Overlay the known ones with `setConditions`. */
export const unknownConditions = (
  types: readonly string[],
  reason: string,
  message: string,
): readonly Observation[] => types.map((type) => ({ type, status: 'Unknown', reason, message }))

export const findCondition = (
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined => conditions?.find((condition) => condition.type === type)
