import type { Facilitator } from '../../../crd/facilitator.ts'
import { ports } from '../../../crd/names/pods.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { metadataOf, nameOf, selectorOf } from '../spec/child-metadata.ts'
import type { Part } from '../spec/parts.ts'

export const HTTP_PORT = 80

export const serviceName = (facilitator: Facilitator, component: Part['component']): string =>
  nameOf(facilitator, component)

/** `spec.service` is of the part that takes payments; the other parts, and the admin port of each, stay inside the cluster. */
export function services(part: Part, facilitator: Facilitator): readonly DesiredObject[] {
  return [service(part, facilitator), adminService(part, facilitator)]
}

function service({ name, component }: Part, facilitator: Facilitator): DesiredObject {
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
      ports: [{ name: 'http', port: HTTP_PORT, targetPort: 'http', protocol: 'TCP' }],
    },
  }
}

/** The Service for a ServiceMonitor, which selects it by the labels of the part and the name of the port. */
const adminService = ({ component }: Part, facilitator: Facilitator): DesiredObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(facilitator, { suffix: `${component}-admin`, component }),
  spec: {
    type: 'ClusterIP',
    selector: selectorOf(facilitator, component),
    ports: [{ name: 'admin', port: ports.admin, targetPort: 'admin', protocol: 'TCP' }],
  },
})
