import type { Facilitator } from '../../../crd/facilitator.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { metadataOf, selectorOf } from '../spec/child-metadata.ts'
import type { Part } from '../spec/parts.ts'

/** None for a single pod: its node could never be drained. */
export function disruptionBudget(
  { component, replicas }: Part,
  facilitator: Facilitator,
): readonly DesiredObject[] {
  if (replicas < 2) return []
  const budget = facilitator.spec.podDisruptionBudget
  const isSet = budget.minAvailable !== undefined || budget.maxUnavailable !== undefined
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadataOf(facilitator, { suffix: component, component }),
      spec: {
        ...(!isSet && { maxUnavailable: 1 }),
        ...budget,
        selector: { matchLabels: selectorOf(facilitator, component) },
      },
    },
  ]
}
