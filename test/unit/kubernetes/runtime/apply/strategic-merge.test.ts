import { describe, expect, test } from 'vitest'
import { strategicMerge } from '../../../../../src/kubernetes/runtime/apply/strategic-merge.ts'

const template = ['spec', 'template']
const merged = (base: unknown, patch: unknown) => strategicMerge(base, patch, template)
const pod = (spec: unknown) => ({ spec })
const container = (members: object) => pod({ containers: [{ name: 'app', ...members }] })

describe('a strategic merge of pod templates', () => {
  test.each<{ rule: string; base: unknown; patch: unknown; gives: unknown }>([
    {
      rule: 'merges maps member by member',
      base: { metadata: { labels: { a: '1', b: '2' } } },
      patch: { metadata: { labels: { b: '3', c: '4' } } },
      gives: { metadata: { labels: { a: '1', b: '3', c: '4' } } },
    },
    {
      rule: 'removes a member by null, at any depth and where there was none',
      base: pod({ securityContext: { runAsUser: 1, runAsNonRoot: true } }),
      patch: pod({ securityContext: { runAsUser: null, fsGroup: null }, dnsConfig: { x: null } }),
      gives: pod({ securityContext: { runAsNonRoot: true }, dnsConfig: {} }),
    },
    {
      rule: 'replaces a map with $patch: replace',
      base: pod({ securityContext: { runAsUser: 1, runAsNonRoot: true } }),
      patch: pod({ securityContext: { $patch: 'replace', fsGroup: 2 } }),
      gives: pod({ securityContext: { fsGroup: 2 } }),
    },
    {
      rule: 'merges containers and variables by name, new ones last',
      base: container({ image: 'x', env: [{ name: 'A', value: '1' }] }),
      patch: pod({
        containers: [
          { name: 'sidecar' },
          {
            name: 'app',
            env: [
              { name: 'B', value: '2' },
              { name: 'A', value: '3' },
            ],
          },
        ],
      }),
      gives: pod({
        containers: [
          {
            name: 'app',
            image: 'x',
            env: [
              { name: 'A', value: '3' },
              { name: 'B', value: '2' },
            ],
          },
          { name: 'sidecar' },
        ],
      }),
    },
    {
      rule: 'merges mounts by path, and ports by number and protocol, TCP by default',
      base: container({
        volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
      }),
      patch: container({
        volumeMounts: [{ name: 'big', mountPath: '/tmp' }],
        ports: [
          { containerPort: 80, name: 'web' },
          { containerPort: 80, protocol: 'UDP' },
        ],
      }),
      gives: container({
        volumeMounts: [{ name: 'big', mountPath: '/tmp' }],
        ports: [
          { name: 'web', containerPort: 80, protocol: 'TCP' },
          { containerPort: 80, protocol: 'UDP' },
        ],
      }),
    },
    {
      rule: 'merges host aliases by address, and spread constraints by topology and what is unsatisfiable',
      base: pod({
        hostAliases: [{ ip: '10.0.0.1', hostnames: ['a'] }],
        topologySpreadConstraints: [
          { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 1 },
        ],
      }),
      patch: pod({
        hostAliases: [{ ip: '10.0.0.1', hostnames: ['b'] }],
        topologySpreadConstraints: [
          { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 2 },
          { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 3 },
        ],
      }),
      gives: pod({
        hostAliases: [{ ip: '10.0.0.1', hostnames: ['b'] }],
        topologySpreadConstraints: [
          { topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 2 },
          { topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', maxSkew: 3 },
        ],
      }),
    },
    {
      rule: 'replaces lists without a key, such as tolerations, as a whole',
      base: pod({ tolerations: [{ key: 'a' }] }),
      patch: pod({ tolerations: [{ key: 'b' }] }),
      gives: pod({ tolerations: [{ key: 'b' }] }),
    },
    {
      rule: 'removes an element with $patch: delete, and ignores one that is not there',
      base: pod({ volumes: [{ name: 'a' }, { name: 'b' }] }),
      patch: pod({
        volumes: [
          { name: 'a', $patch: 'delete' },
          { name: 'c', $patch: 'delete' },
        ],
      }),
      gives: pod({ volumes: [{ name: 'b' }] }),
    },
    {
      rule: 'replaces a list with an element $patch: replace',
      base: pod({ volumes: [{ name: 'a' }] }),
      patch: pod({ volumes: [{ $patch: 'replace' }, { name: 'b' }] }),
      gives: pod({ volumes: [{ name: 'b' }] }),
    },
    {
      rule: 'takes a value of another type as it is, for the API server to refuse',
      base: pod({ volumes: [{ name: 'a' }], dnsConfig: { nameservers: [] } }),
      patch: pod({ volumes: 'all', dnsConfig: ['x'] }),
      gives: pod({ volumes: 'all', dnsConfig: ['x'] }),
    },
  ])('$rule', ({ base, patch, gives }) => {
    expect(merged(base, patch)).toEqual(gives)
  })

  test('changes neither the base nor the patch', () => {
    const base = Object.freeze({ volumes: Object.freeze([{ name: 'a' }]) })
    const patch = Object.freeze({ volumes: Object.freeze([{ name: 'a', emptyDir: {} }]) })
    expect(strategicMerge(base, patch, ['spec'])).not.toBe(base)
    expect([base.volumes, patch.volumes[0]]).toEqual([[{ name: 'a' }], { name: 'a', emptyDir: {} }])
  })
})
