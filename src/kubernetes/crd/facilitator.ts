import { z } from 'zod'
import { facilitatorSpec } from './facilitator/spec.ts'
import { facilitatorStatus } from './facilitator/status.ts'
import { nameIsLabel } from './fields/fields.ts'
import type { API_VERSION } from './names/group.ts'
import type { Frozen, ResourceMeta } from './resource.ts'

/** The service in front of one or two pools. */
export const facilitator = z
  .object({
    spec: facilitatorSpec.describe('Desired state of the service.'),
    status: facilitatorStatus.optional().describe('Last observed state.'),
  })
  .meta({
    'x-kubernetes-validations': nameIsLabel,
    description:
      'A Facilitator verifies and settles x402 payments on the networks of its ChannelPools.',
  })

/** A Facilitator as the API server returns it, with the defaults of the definition. */
export type Facilitator = Frozen<z.output<typeof facilitator>> & {
  readonly apiVersion: typeof API_VERSION
  readonly kind: 'Facilitator'
  readonly metadata: ResourceMeta
}
