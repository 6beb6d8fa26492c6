import { images } from '../../../support/world-places.ts'
import {
  annotate,
  facilitator,
  facilitatorSays,
  type Mistake,
  restrictedContainer,
  spec,
  template,
} from './mistake.ts'

export const absent = { repository: 'registry.example/none', tag: 'none' }
const program = (name: string, script: string, resources = {}) => ({
  containers: [
    {
      name,
      image: images.tools,
      imagePullPolicy: 'IfNotPresent',
      command: ['node', '-e', script],
      resources,
      ...restrictedContainer,
    },
  ],
})
const term = (weight: number) => ({
  weight,
  preference: {
    matchExpressions: [{ key: 'k'.repeat(60), operator: 'In', values: ['v'.repeat(60)] }],
  },
})

/** What a team does to the pods of its Facilitator. */
export const podMistakes: readonly Mistake[] = [
  spec('an image that no registry has', { image: absent }, 'PodsFailing'),
  spec(
    'an image of another program',
    { image: { repository: images.postgres.split(':')[0], tag: '1' } },
    'MigrationFailed',
    'PodsFailing',
  ),
  template(
    'a sidecar that ends at once',
    program('ends', 'process.exit(1)'),
    'PodsFailing',
    'PreflightRunning',
    'RollingOut',
  ),
  template(
    'a sidecar that takes all memory',
    program('hog', 'const a=[];for(;;)a.push(Buffer.alloc(1<<24,1))', {
      limits: { memory: '64Mi' },
    }),
    'PodsFailing',
    'RollingOut',
  ),
  spec(
    'a request for two hundred processors',
    { resources: { requests: { cpu: '200', memory: '1Ti' }, limits: { memory: '1Ti' } } },
    'PodsFailing',
  ),
  spec('a memory limit below what the program needs', {
    resources: { requests: { memory: '64Mi' }, limits: { memory: '64Mi' } },
  }),
  template('a node that there is none of', { nodeSelector: { disk: 'gold' } }, 'PodsFailing'),
  template('a priority class that there is none of', { priorityClassName: 'gold' }, 'PodsFailing'),
  template(
    'a port of the node',
    { containers: [{ name: 'svc', ports: [{ containerPort: 7_000, hostPort: 7_000 }] }] },
    'PodsFailing',
  ),
  template(
    'a volume of the node',
    { volumes: [{ name: 'node', hostPath: { path: '/' } }] },
    'PodsFailing',
  ),
  template(
    'a misspelt member of a container',
    { containers: [{ name: 'proxy', image: images.tools, imagee: images.tools }] },
    'ChildRejected',
  ),
  template(
    'the containers of the operator are replaced',
    {
      containers: [{ name: 'svc', command: ['true'], image: images.tools }],
    },
    'TemplateOverridden',
  ),
  template(
    'a variable that ends the program',
    { containers: [{ name: 'svc', env: [{ name: 'NODE_OPTIONS', value: '--no-such-option' }] }] },
    'MigrationFailed',
    'PreflightFailed',
    'PodsFailing',
  ),
  template(
    'an affinity of half a megabyte',
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: 2_000 }, (_, at) =>
            term((at % 100) + 1),
          ),
        },
      },
    },
    'SpecTooLarge',
  ),
  template('a readiness that never comes', {
    readinessGates: [{ conditionType: 'team-b.example/never' }],
  }),
  template('pods that no node starts in time', { terminationGracePeriodSeconds: 3_600 }),
  spec('a hundred pods', { replicas: 100 }, 'PodsFailing', 'ReplicasNotReady'),
  {
    name: 'paused, and changed all the same',
    apply: async (team) => {
      await annotate(team, 'Facilitator', facilitator, { 'x402.svc.dev/paused': 'true' })
      await team.change({ image: absent, replicas: 3 })
      await team.deleteChildren()
    },
    says: facilitatorSays('Paused'),
  },
]
