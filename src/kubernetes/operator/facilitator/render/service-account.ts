import type { Facilitator } from '../../../crd/facilitator.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { metadataOf } from '../spec/child-metadata.ts'

/** The service account of all pods. It has no permissions, and no pod gets its token. None where the pods use another account. */
export function serviceAccount(facilitator: Facilitator): readonly DesiredObject[] {
  const { podTemplate, serviceAccount: own } = facilitator.spec
  if (podTemplate.spec.serviceAccountName !== undefined) return []
  return [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metadataOf(facilitator, { suffix: 'pods', annotations: own?.annotations }),
      automountServiceAccountToken: false,
    },
  ]
}
