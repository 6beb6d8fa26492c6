import { images } from '../../../support/world-places.ts'
import type { Manifest, Team } from '../team.ts'
import {
  again,
  annotate,
  each,
  facilitator,
  type Mistake,
  part,
  pool,
  restrictedContainer,
} from './mistake.ts'

const OURS = {
  'app.kubernetes.io/name': 'stellar-x402',
  'app.kubernetes.io/instance': facilitator,
  'app.kubernetes.io/component': 'facilitator',
  'app.kubernetes.io/part-of': 'stellar-x402',
  'app.kubernetes.io/managed-by': 'stellar-x402-operator',
  'x402.svc.dev/facilitator': facilitator,
} as const
const OF_THE_OPERATOR = {
  'app.kubernetes.io/name': 'stellar-x402',
  'app.kubernetes.io/instance': 'stellar-x402',
} as const
const KIB = 1_024
const CHILDREN = [
  ['Deployment', part],
  ['Service', part],
  ['PodDisruptionBudget', part],
  ['NetworkPolicy', `${facilitator}-default-deny`],
  ['ServiceAccount', `${facilitator}-pods`],
] as const

const podSpec = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 1,
  restartPolicy: 'Never',
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 10_003,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [
    {
      name: 'svc',
      image: images.tools,
      imagePullPolicy: 'IfNotPresent',
      command: ['node', '-e', 'setTimeout(() => undefined, 5000)'],
      ...restrictedContainer,
    },
  ],
}

const configMap = (name: string, metadata = {}, data = {}): Manifest => ({
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})
const service = (
  name: string,
  selector: Readonly<Record<string, string>>,
  labels = {},
): Manifest => ({
  kind: 'Service',
  metadata: { name, labels },
  spec: { selector, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
})

/** What is left without its owner would be in the way of the next one. */
async function deleteEach(team: Team): Promise<void> {
  for (const [kind, name] of CHILDREN) await team.delete(kind, name)
}

/** Removes a finalizer that nobody else would. */
const unhold = (team: Team, kind: Manifest['kind'], name: string) =>
  team.patch(kind, name, { metadata: { finalizers: null } })
const hold = (team: Team, kind: Manifest['kind'], name: string) =>
  team.patch(kind, name, { metadata: { finalizers: ['team-b.example/left'] } })

/** The other team, as everybody may know it. */
export interface Neighbour {
  readonly namespace: string
  /** Of its Facilitator. */
  readonly uid: string
  readonly host: string
}

/** What a team does to the children of its Facilitator, and to objects that look like such. */
export const objectMistakes = (neighbour: Neighbour): readonly Mistake[] => [
  ...CHILDREN.map(
    ([kind, name]): Mistake => ({
      name: `the ${kind} is deleted, five times`,
      apply: (team) => again(5, 300, () => team.delete(kind, name)),
    }),
  ),
  {
    name: 'children lose their labels and owners',
    apply: async (team) => {
      for (const [kind, name] of CHILDREN)
        await team.patch(kind, name, { metadata: { labels: null, ownerReferences: null } })
    },
    undo: deleteEach,
  },
  {
    name: "foreign objects with the names and labels of the other team's",
    apply: async (team) => {
      await each(10, (at) => team.tryApply(configMap(`${part}-${at}`, { labels: OURS })))
      await team.tryApply(service(`${facilitator}-catalog`, OURS, OURS))
      await team.tryApply(service(`${neighbour.namespace}-facilitator`, OURS, OURS))
    },
  },
  {
    name: "objects that the other team's Facilitator owns",
    apply: async (team) => {
      const owner = { apiVersion: 'x402.svc.dev/v1beta1', kind: 'Facilitator', name: facilitator }
      const ownerReferences = [{ ...owner, uid: neighbour.uid, controller: true }]
      await each(10, (at) =>
        team.tryApply(configMap(`owned-${at}`, { labels: OURS, ownerReferences })),
      )
      await annotate(team, 'Facilitator', facilitator, {})
      await team.patch('ChannelPool', pool, { metadata: { ownerReferences } })
    },
  },
  {
    name: 'objects with the name of a child are in the way of a new Facilitator',
    apply: async (team) => {
      await team.apply(service('blocked-facilitator', { app: 'other' }), configMap('blocked-pods'))
      await team.apply(team.facilitator('blocked', { replicas: 0 }))
    },
    says: { kind: 'Facilitator', name: 'blocked', reasons: ['ChildNotOurs'] },
  },
  {
    name: 'objects of others that the Facilitator may adopt',
    apply: async (team) => {
      const annotations = { 'x402.svc.dev/adopt-by': facilitator }
      await each(5, (at) => team.tryApply(configMap(`adopt-${at}`, { annotations, labels: OURS })))
    },
  },
  {
    name: 'annotations of a quarter of a megabyte, and of a whole one',
    apply: async (team) => {
      for (const size of [250, 1_024])
        for (const kind of ['Facilitator', 'ChannelPool'] as const)
          await annotate(team, kind, kind === 'Facilitator' ? facilitator : pool, {
            'team-b.example/note': 'x'.repeat(size * KIB),
          })
    },
  },
  {
    name: 'ConfigMaps of a megabyte with the labels of children',
    apply: (team) =>
      each(15, (at) =>
        team.tryApply(configMap(`large-${at}`, { labels: OURS }, { x: 'x'.repeat(900 * KIB) })),
      ),
  },
  {
    name: 'finalizers that nobody removes, on what is then deleted',
    apply: async (team) => {
      await team.apply(team.facilitator('held', { replicas: 0 }))
      await hold(team, 'Facilitator', 'held')
      await hold(team, 'Service', part)
      await team.delete('Facilitator', 'held')
      await team.delete('Service', part)
    },
    says: {
      kind: 'Facilitator',
      name: 'held',
      reasons: ['Deleting', 'RollingOut', 'ScaledToZero'],
    },
    undo: async (team) => {
      await unhold(team, 'Facilitator', 'held')
      await unhold(team, 'Service', part)
    },
  },
  {
    name: 'Jobs that look like migrations',
    apply: (team) =>
      each(20, (at) =>
        team.tryApply({
          kind: 'Job',
          metadata: {
            name: `${facilitator}-migrate-${at}`,
            labels: { ...OURS, 'app.kubernetes.io/component': at % 2 ? 'migration' : 'preflight' },
          },
          spec: { suspend: at > 2, template: { metadata: { labels: OURS }, spec: podSpec } },
        }),
      ),
  },
  {
    name: "pods with the operator's labels, and with those of facilitator pods",
    apply: async (team) => {
      for (const [at, labels] of [OURS, OF_THE_OPERATOR].entries())
        await team.tryApply({
          kind: 'Pod',
          metadata: { name: `looks-${at}`, labels },
          spec: podSpec,
        })
    },
  },
  {
    name: "a Service and a Lease with the operator's names",
    apply: async (team) => {
      await team.tryApply(service('stellar-x402', OF_THE_OPERATOR, OF_THE_OPERATOR))
      await team.tryApply({
        kind: 'Lease',
        metadata: { name: 'stellar-x402' },
        spec: { holderIdentity: 'team-b', leaseDurationSeconds: 3_600 },
      })
    },
  },
  {
    name: 'a route with the host names of the other team',
    apply: async (team) => {
      await team.change({ route: { hosts: [neighbour.host], ingressClassName: 'shared' } })
      await team.tryApply({
        kind: 'Ingress',
        metadata: { name: 'theirs', labels: OURS },
        spec: {
          ingressClassName: 'shared',
          defaultBackend: { service: { name: part, port: { number: 80 } } },
          rules: [{ host: neighbour.host }],
        },
      })
    },
  },
  {
    name: 'rules for Prometheus that match everybody',
    apply: (team) =>
      each(10, (at) =>
        team.tryApply({
          kind: 'PrometheusRule',
          metadata: { name: at === 0 ? `${facilitator}-pods` : `rule-${at}`, labels: OURS },
          spec: {
            groups: Array.from({ length: 50 }, (_, group) => ({
              name: `g${group}`,
              rules: [{ alert: `A${at}`, expr: `count({__name__=~".+${'.'.repeat(500)}"})` }],
            })),
          },
        }),
      ),
  },
  {
    name: 'a Facilitator that is deleted with its children left',
    apply: (team) => team.delete('Facilitator', facilitator, 'propagationPolicy=Orphan'),
    undo: async (team) => {
      await team.deleteChildren()
      await deleteEach(team)
    },
  },
  {
    name: 'the Facilitator is deleted',
    apply: (team) => team.delete('Facilitator', facilitator),
  },
  {
    name: 'a status that says what is not so',
    apply: (team) =>
      team.patch(
        'Facilitator',
        facilitator,
        { status: { conditions: [], observedGeneration: 999 } },
        '/status',
      ),
  },
]
