/** A stock seller and a stock buyer as pods: the files of docs/sellers.md with the stock packages. */
import type { Body } from '../../cluster/support/kube-request.ts'
import { images, ledger, names, places, seller } from './world-places.ts'

const PORT = 4_022

const restrictedPod = {
  runAsNonRoot: true,
  runAsUser: 10_003,
  runAsGroup: 10_003,
  seccompProfile: { type: 'RuntimeDefault' },
}
const restrictedContainer = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}
const resources = {
  requests: { cpu: '50m', memory: '96Mi' },
  limits: { memory: '512Mi' },
}

const namespace = (name: string): Body => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
})

const stock = (file: string) => ({
  image: images.tools,
  imagePullPolicy: 'IfNotPresent',
  command: ['node', `/stock/${file}`],
})

/** The seller that asks `http://payments-facilitator.shop`, as docs/install.md says, and its Service. */
export const sellerObjects = (payTo: string): readonly Body[] => [
  namespace(places.sellers),
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: seller.name, namespace: places.sellers },
    spec: {
      selector: { matchLabels: { app: seller.name } },
      template: {
        metadata: { labels: { app: seller.name } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 2,
          securityContext: restrictedPod,
          containers: [
            {
              name: seller.name,
              ...stock('express.mjs'),
              env: [
                {
                  name: 'FACILITATOR_URL',
                  value: `http://${names.facilitator}-facilitator.${places.shop}`,
                },
                { name: 'PAY_TO', value: payTo },
                { name: 'PORT', value: String(PORT) },
              ],
              ports: [{ containerPort: PORT }],
              readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
              resources,
              securityContext: restrictedContainer,
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: seller.name, namespace: places.sellers },
    spec: {
      selector: { app: seller.name },
      ports: [{ port: seller.port, targetPort: PORT }],
      externalIPs: [seller.address],
    },
  },
]

export const jokeUrl = `http://${seller.address}/joke`

/** One purchase: a Job whose only pod runs the client of docs/sellers.md. */
export const buyerObjects = (job: string, secret: string, authority: string): readonly Body[] => [
  namespace(places.buyers),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'ledger-authority', namespace: places.buyers },
    data: { 'ca.pem': authority },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: job, namespace: places.buyers },
    stringData: { secret },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: job, namespace: places.buyers },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: restrictedPod,
          containers: [
            {
              name: 'buyer',
              ...stock('client.mjs'),
              args: [jokeUrl],
              env: [
                { name: 'BUYER_SECRET', valueFrom: { secretKeyRef: { name: job, key: 'secret' } } },
                {
                  name: 'STELLAR_RPC_URL',
                  value: `https://${ledger.name}.${places.infra}:${ledger.https}`,
                },
                { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ledger/ca.pem' },
              ],
              volumeMounts: [{ name: 'authority', mountPath: '/etc/ledger', readOnly: true }],
              resources,
              securityContext: restrictedContainer,
            },
          ],
          volumes: [{ name: 'authority', configMap: { name: 'ledger-authority' } }],
        },
      },
    },
  },
]
