import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { metadataOf } from './common.ts'

/** For all pods. It has no permissions, and no pod gets its token. */
export const serviceAccount = (facilitator: Facilitator): DesiredObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: metadataOf(facilitator, { suffix: 'pods' }),
  automountServiceAccountToken: false,
})
