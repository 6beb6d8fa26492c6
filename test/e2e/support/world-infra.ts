/** Ledger and database of the world, as pods of the node n1 under the restricted Pod Security Standard. */
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCertificate } from '../../../src/localnet/server/certificate.ts'
import type { Body } from '../../cluster/support/kube-request.ts'
import { type Database, type Infra, images, ledger, postgres } from './world-places.ts'

/** User of the pods, and owner of their folders. */
const USER = 10_002
const NODE = 'n1'
/** A ledger replaces a certificate that ends within a month. */
const CERTIFICATE_DAYS = 90

/** Ready at once after the start; a busy machine takes neither ledger nor database away from the payments. */
const patient = { periodSeconds: 1, timeoutSeconds: 10, failureThreshold: 10 } as const

/**
 * Creates the folders that the pods keep their data in, so that it outlives each pod, with the certificate that the ledger
 * serves under its names in the cluster.
 * @returns the certificate of the authority, as PEM
 */
export async function prepareInfra(
  folder: string,
  { namespace, ledgerAddress }: Infra,
): Promise<string> {
  for (const name of [ledger.name, postgres.name]) {
    await mkdir(join(folder, name), { recursive: true })
    await chown(join(folder, name), USER, USER)
  }
  const certificate = await createCertificate(Date.now(), CERTIFICATE_DAYS, [
    'localhost',
    ledgerAddress,
    ...[ledger.name, `${ledger.name}.${namespace}`, `${ledger.name}.${namespace}.svc`],
  ])
  const { key, cert, authority } = certificate
  // `svc localnet --state` keeps a certificate in this file, and serves with the one that it finds.
  const file = join(folder, ledger.name, 'localnet-tls.pem')
  await writeFile(file, [key, cert, authority].map((pem) => `${pem.trimEnd()}\n`).join(''), {
    mode: 0o600,
  })
  await chown(file, USER, USER)
  return authority
}

export const infraObjects = (
  folder: string,
  { namespace, ledgerAddress, postgresAddress }: Infra,
  database: Database,
): readonly Body[] => [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespace,
      labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    },
  },
  ...volumeOf(namespace, ledger.name, join(folder, ledger.name)),
  ...volumeOf(namespace, postgres.name, join(folder, postgres.name)),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: postgres.name, namespace },
    stringData: {
      POSTGRES_USER: database.user,
      POSTGRES_PASSWORD: database.password,
      POSTGRES_DB: database.database,
    },
  },
  deployment(namespace, ledger.name, {
    image: images.tools,
    // The ledger's own default: a Stellar network closes one about every 5 s. Tests wait for settlements, so it is 1 s here.
    args: `localnet --host 0.0.0.0 --port ${ledger.http} --tls --tls-port ${ledger.https} --close-every 1s --state /data`,
    env: [{ name: 'NODE_OPTIONS', value: '' }],
    ports: [ledger.http, ledger.https],
    memory: '1Gi',
    readinessProbe: { httpGet: { path: '/', port: ledger.http }, ...patient },
  }),
  service(namespace, ledger.name, ledgerAddress, [ledger.http, ledger.https]),
  deployment(namespace, postgres.name, {
    image: images.postgres,
    env: [],
    envFrom: [{ secretRef: { name: postgres.name } }],
    ports: [postgres.port],
    memory: '512Mi',
    readinessProbe: { tcpSocket: { port: postgres.port }, ...patient },
  }),
  service(namespace, postgres.name, postgresAddress, [postgres.port]),
]

/** A folder of the node as a volume of the claim with that name: pods under the restricted standard may mount no hostPath. */
const volumeOf = (namespace: string, name: string, path: string): readonly Body[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${namespace}-${name}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
      claimRef: { namespace, name },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [NODE] }],
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeName: `${namespace}-${name}`,
      resources: { requests: { storage: '1Gi' } },
    },
  },
]

interface InfraPod {
  readonly image: string
  readonly args?: string
  readonly env: readonly Body[]
  readonly envFrom?: readonly Body[]
  readonly ports: readonly number[]
  readonly memory: string
  readonly readinessProbe: Body
}

/** One pod, replaced only after it has ended: two would write to the same folder. */
const deployment = (
  namespace: string,
  name: string,
  { image, args, memory, ports, ...container }: InfraPod,
): Body => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas: 1,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': NODE },
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 10,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: USER,
          runAsGroup: USER,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name,
            image,
            imagePullPolicy: 'IfNotPresent',
            ...(args !== undefined && { args: args.split(' ') }),
            ...container,
            ports: ports.map((containerPort) => ({ containerPort })),
            resources: { requests: { cpu: '250m', memory: '128Mi' }, limits: { memory } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [
              { name: 'data', mountPath: '/data' },
              { name: 'tmp', mountPath: '/tmp' },
            ],
          },
        ],
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: name } },
          { name: 'tmp', emptyDir: {} },
        ],
      },
    },
  },
})

const service = (
  namespace: string,
  name: string,
  clusterIP: string,
  ports: readonly number[],
): Body => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: {
    clusterIP,
    selector: { app: name },
    ports: ports.map((port) => ({ name: `port-${port}`, port })),
  },
})
