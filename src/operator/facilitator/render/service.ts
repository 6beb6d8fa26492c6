import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { ports } from '../environment.ts'
import type { Part } from '../parts.ts'
import { metadataOf, nameOf, selectorOf } from './common.ts'

export const HTTP_PORT = 80

export const serviceName = (facilitator: Facilitator, component: Part['component']): string =>
  nameOf(facilitator, component)

/** `spec.service` is of the part that takes payments; the other parts stay inside the cluster. */
export function service({ name, component }: Part, facilitator: Facilitator): DesiredObject {
  const { type, labels, annotations, loadBalancerClass, externalTrafficPolicy } =
    name === 'Facilitator' ? facilitator.spec.service : { type: 'ClusterIP' }
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(facilitator, { suffix: component, component, labels, annotations }),
    spec: {
      type,
      ...(loadBalancerClass !== undefined && { loadBalancerClass }),
      ...(externalTrafficPolicy !== undefined && { externalTrafficPolicy }),
      selector: selectorOf(facilitator, component),
      ports: [
        { name: 'http', port: HTTP_PORT, targetPort: 'http', protocol: 'TCP' },
        { name: 'admin', port: ports.admin, targetPort: 'admin', protocol: 'TCP' },
      ],
    },
  }
}
