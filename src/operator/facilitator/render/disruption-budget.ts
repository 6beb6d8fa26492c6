import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import type { Part } from '../parts.ts'
import { metadataOf, selectorOf } from './common.ts'

/** None for a single pod: its node could never be drained. */
export const disruptionBudget = (
  { component, replicas }: Part,
  facilitator: Facilitator,
): readonly DesiredObject[] =>
  replicas < 2
    ? []
    : [
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: metadataOf(facilitator, { suffix: component, component }),
          spec: {
            // By default one pod may be missing, and one that is not ready does not block the drain of its node.
            ...facilitator.spec.podDisruptionBudget,
            selector: { matchLabels: selectorOf(facilitator, component) },
          },
        },
      ]
