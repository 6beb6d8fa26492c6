export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** `metav1.Condition`. */
export interface Condition {
  readonly type: string
  readonly status: ConditionStatus
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  /** One CamelCase word, never empty. */
  readonly reason: string
  readonly message: string
}

/** A condition without its times and generation, which `setConditions` adds. */
export type Observation = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

export interface Observed {
  /** The generation of the object that was observed. */
  readonly generation: number
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

/**
 * The conditions after an observation, in the order in which they first appeared. Conditions that were not
 * observed stay as they are. `lastTransitionTime` changes only with the status.
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

/** Every type as Unknown, for an object without conditions. */
export const unknownConditions = (
  types: readonly string[],
  reason: string,
  message: string,
): readonly Observation[] => types.map((type) => ({ type, status: 'Unknown', reason, message }))

export const findCondition = (
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined => conditions?.find((condition) => condition.type === type)
