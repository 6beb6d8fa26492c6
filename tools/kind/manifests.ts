/** Objects of `make kind` beside those of docs/install.md: ledger, database, a seller and a buyer. */
import { dump } from 'js-yaml'

/** Where the checkout is on the node, and in the pods that run parts of it that are not in the image. */
const CHECKOUT = '/checkout'
/** Files that `make kind` writes, in the checkout. */
export const WORK = 'dist/kind'
export const NAMESPACE = 'infra'
export const LEDGER_HOSTS = ['localnet', 'localnet.infra', 'localnet.infra.svc', 'localhost']

export interface Database {
  readonly user: string
  readonly password: string
  readonly name: string
}

/** One node, which sees the checkout. */
export const clusterConfig = (checkout: string): string =>
  dump({
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    nodes: [
      {
        role: 'control-plane',
        extraMounts: [{ hostPath: checkout, containerPath: CHECKOUT, readOnly: true }],
      },
    ],
  })

export const infrastructure = (image: string, database: Database): string =>
  stream([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    ...workload('localnet', [8000, 8443], {
      image,
      command: [
        'node',
        `${CHECKOUT}/src/commands/svc.ts`,
        ...'localnet --host 0.0.0.0 --tls --close-every 1s --state /data'.split(' '),
      ],
      readinessProbe: { httpGet: { path: '/', port: 8000 }, periodSeconds: 1 },
      volumeMounts: [checkoutMount, { name: 'data', mountPath: '/data' }],
      // `svc localnet --state` serves with the certificate that it finds in its folder.
      prepare: {
        image,
        command: [
          'node',
          '-e',
          `require('fs').copyFileSync('${CHECKOUT}/${WORK}/localnet-tls.pem', '/data/localnet-tls.pem')`,
        ],
        volumeMounts: [checkoutMount, { name: 'data', mountPath: '/data' }],
      },
    }),
    ...workload('postgres', [5432], {
      image: 'postgres:18',
      env: [
        { name: 'POSTGRES_USER', value: database.user },
        { name: 'POSTGRES_PASSWORD', value: database.password },
        { name: 'POSTGRES_DB', value: database.name },
      ],
      readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
    }),
  ])

/** The seller of docs/sellers.md, which asks the facilitator of docs/install.md. */
export const seller = (image: string, payTo: string): string =>
  stream(
    workload('jokes', [4022], {
      image,
      command: ['node', `${CHECKOUT}/${WORK}/express.mjs`],
      env: [
        { name: 'FACILITATOR_URL', value: 'http://payments-facilitator.shop' },
        { name: 'PAY_TO', value: payTo },
      ],
      readinessProbe: { tcpSocket: { port: 4022 }, periodSeconds: 1 },
      volumeMounts: [checkoutMount],
    }),
  )

/** One purchase by the client of docs/sellers.md. */
export const buyer = (image: string, secret: string): string =>
  stream([
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'buyer', namespace: NAMESPACE },
      spec: {
        backoffLimit: 0,
        template: {
          spec: {
            restartPolicy: 'Never',
            securityContext: asRoot,
            containers: [
              {
                name: 'buyer',
                image,
                command: ['node', `${CHECKOUT}/${WORK}/client.mjs`, 'http://jokes:4022/joke'],
                env: [
                  { name: 'BUYER_SECRET', value: secret },
                  { name: 'STELLAR_RPC_URL', value: 'https://localnet:8443' },
                  { name: 'NODE_EXTRA_CA_CERTS', value: `${CHECKOUT}/${WORK}/localnet-ca.pem` },
                ],
                volumeMounts: [checkoutMount],
              },
            ],
            volumes,
          },
        },
      },
    },
  ])

const checkoutMount = { name: 'checkout', mountPath: CHECKOUT, readOnly: true }
const volumes = [
  { name: 'checkout', hostPath: { path: CHECKOUT, type: 'Directory' } },
  { name: 'data', emptyDir: {} },
]
/** Only root can read a checkout whose umask hides it from others. */
const asRoot = { runAsUser: 0, runAsGroup: 0 }

interface Container {
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly object[]
  readonly readinessProbe?: object
  readonly volumeMounts?: readonly object[]
}

/** A Deployment with one pod, and its Service. */
function workload(
  name: string,
  ports: readonly number[],
  { prepare, ...container }: Container & { readonly prepare?: Container },
): readonly object[] {
  const metadata = { name, namespace: NAMESPACE }
  const isOurs = container.image !== 'postgres:18'
  const spec = {
    ...(isOurs && { securityContext: asRoot, volumes }),
    ...(prepare && { initContainers: [{ name: 'prepare', ...prepare }] }),
    containers: [{ name, ...container, ports: ports.map((port) => ({ containerPort: port })) }],
  }
  const selector = { app: name }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        selector: { matchLabels: selector },
        template: { metadata: { labels: selector }, spec },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector, ports: ports.map((port) => ({ name: `port-${port}`, port })) },
    },
  ]
}

const stream = (objects: readonly object[]): string =>
  objects.map((object) => dump(object)).join('---\n')
