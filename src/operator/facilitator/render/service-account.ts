import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { metadataOf } from './common.ts'

/** Of all pods; it may do nothing, and they get no token of it. */
export const serviceAccount = (facilitator: Facilitator): DesiredObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: metadataOf(facilitator, { suffix: 'pods' }),
  automountServiceAccountToken: false,
})
