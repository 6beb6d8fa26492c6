import { z } from 'zod'
import { channelPoolSpec } from './channel-pool/spec.ts'
import { channelPoolStatus } from './channel-pool/status.ts'
import type { CelRule } from './fields/cel.ts'
import { nameIsLabel } from './fields/fields.ts'
import type { API_VERSION } from './names/group.ts'
import type { Frozen, ResourceMeta } from './resource.ts'

/** A rule cannot read deletionTimestamp, but it can read the status that the operator writes at a deletion. */
const retainStaysRetain: CelRule = {
  rule: [
    "oldSelf.spec.deletionPolicy == 'Retire' || self.spec.deletionPolicy == 'Retain'",
    '!has(oldSelf.status) || !has(oldSelf.status.deletion)',
  ].join(' || '),
  message:
    'spec.deletionPolicy cannot become Retire while the ChannelPool is being deleted: create it again, set Retire, then delete it',
  reason: 'FieldValueForbidden',
  fieldPath: '.spec.deletionPolicy',
}

/** One network, its sponsor and its channels. */
export const channelPool = z
  .object({
    spec: channelPoolSpec.describe('Desired state of the pool.'),
    status: channelPoolStatus.optional().describe('Last observed state.'),
  })
  .meta({
    'x-kubernetes-validations': [...nameIsLabel, retainStaysRetain],
    description:
      'A ChannelPool is one Stellar network, the sponsor that pays its fees, and the channel accounts that settlements are sent from.',
  })

/** A ChannelPool as the API server returns it, with the defaults of the definition. */
export type ChannelPool = Frozen<z.output<typeof channelPool>> & {
  readonly apiVersion: typeof API_VERSION
  readonly kind: 'ChannelPool'
  readonly metadata: ResourceMeta
}
