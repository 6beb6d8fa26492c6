import { images } from './world-places.ts'

/** A server that answers with its pod's name and the address that it saw of the client. */
const SERVER = `require('node:http').createServer((request, response) => {
  response.end(require('node:os').hostname() + ' ' + request.socket.remoteAddress.replace('::ffff:', ''))
}).listen(8080, () => console.log('listening'))`

const POD_USER = 10_001

/** With the restrictions of the project's own pods, and every kind of volume that these mount. */
export const serverPod = (name: string, node: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'smoke', pod: name } },
  spec: {
    nodeName: node,
    hostname: name,
    subdomain: 'all',
    terminationGracePeriodSeconds: 1,
    securityContext: {
      runAsUser: POD_USER,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        ...container(SERVER),
        name: 'server',
        readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
        volumeMounts: [
          { name: 'secret', mountPath: '/secret', readOnly: true },
          { name: 'config', mountPath: '/config', readOnly: true },
          { name: 'token', mountPath: '/token', readOnly: true },
          { name: 'memory', mountPath: '/memory' },
        ],
      },
    ],
    volumes: [
      { name: 'secret', secret: { secretName: 'smoke' } },
      { name: 'config', configMap: { name: 'smoke' } },
      {
        name: 'token',
        projected: {
          sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600 } }],
        },
      },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    ],
  },
})

/** Takes memory until the kernel ends it. */
export const hungryPod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    restartPolicy: 'Never',
    containers: [
      {
        ...container('const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'),
        name: 'hungry',
        resources: { limits: { memory: '96Mi' } },
      },
    ],
  },
})

const container = (program: string) => ({
  image: images.tools,
  imagePullPolicy: 'IfNotPresent',
  command: ['node', '-e', program],
  securityContext: {
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  },
})

const ports = [{ port: 80, targetPort: 8080 }]

/** What the pods mount, and the Services before them: `web` is on port 80 of a NodePort, `all` is headless. */
export const smokeObjects = [
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'smoke' }, stringData: { word: 'hidden' } },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'smoke' }, data: { word: 'open' } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { type: 'NodePort', selector: { pod: 'two' }, ports },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'all' },
    spec: { clusterIP: 'None', selector: { app: 'smoke' }, ports },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'two' },
    spec: { minAvailable: 1, selector: { matchLabels: { pod: 'two' } } },
  },
]
