import type { Facilitator } from '../../../api/facilitator.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { ports } from '../environment.ts'
import type { Part } from '../parts.ts'
import { metadataOf, nameOf, selectorOf } from './common.ts'

export const HTTP_PORT = 80

export const serviceName = (facilitator: Facilitator, component: Part['component']): string =>
  nameOf(facilitator, component)

export const service = ({ component }: Part, facilitator: Facilitator): DesiredObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(facilitator, { suffix: component, component }),
  spec: {
    type: 'ClusterIP',
    selector: selectorOf(facilitator, component),
    ports: [
      { name: 'http', port: HTTP_PORT, targetPort: 'http', protocol: 'TCP' },
      { name: 'admin', port: ports.admin, targetPort: 'admin', protocol: 'TCP' },
    ],
  },
})
