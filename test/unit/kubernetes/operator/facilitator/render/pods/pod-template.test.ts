import { describe, expect, test } from 'vitest'
import { migrationJob } from '../../../../../../../src/kubernetes/operator/facilitator/render/pods/migration-job.ts'
import { render } from '../../../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { conditionsOf } from '../../../../../../../src/kubernetes/operator/facilitator/status/conditions/conditions.ts'
import type { Json } from '../../../../../../support/api/manifests.ts'
import { desiredWith } from '../../builders.ts'
import { resultWith } from '../../results.ts'

const parts: Json = { catalog: { enabled: true }, explorer: { enabled: true } }

/** The merged template of a part, by the name of its main container. */
function rendered(podTemplate: Json, component = 'facilitator') {
  const desired = desiredWith({ ...parts, podTemplate })
  const rollout = render(desired).rollouts.find(({ part }) => part.component === component)
  if (!rollout) throw new Error(`there is no part ${component}`)
  const { deployment, overridden } = rollout
  const { metadata, spec } = Object(deployment['spec']).template
  return { metadata, spec, overridden, containers: spec.containers, main: spec.containers[0] }
}

const inMain = (members: Json, name = 'svc') =>
  rendered({ spec: { containers: [{ name, ...members }] } })
const own = rendered({})

describe('a pod template', () => {
  test('gives every pod a proxy, a sidecar, an init container, volumes and DNS', () => {
    const podTemplate: Json = {
      metadata: { labels: { team: 'payments' }, annotations: { 'example.com/inject': 'true' } },
      spec: {
        containers: [
          {
            name: 'svc',
            env: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
            envFrom: [{ secretRef: { name: 'more' } }],
            volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
            resources: { limits: { 'ephemeral-storage': '1Gi' } },
          },
          { name: 'agent', image: 'agent' },
        ],
        initContainers: [{ name: 'wait', image: 'wait' }],
        volumes: [{ name: 'ca', configMap: { name: 'ca' } }],
        dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
        serviceAccountName: 'cloud',
      },
    }
    for (const component of ['facilitator', 'catalog', 'explorer']) {
      const { metadata, spec, containers, main, overridden } = rendered(podTemplate, component)
      expect(overridden).toEqual([])
      expect(metadata.labels).toMatchObject({ team: 'payments' })
      expect(metadata.annotations).toHaveProperty(['example.com/inject'], 'true')
      expect(containers.map(({ name }: { name: string }) => name)).toEqual([component, 'agent'])
      expect(main.env).toEqual([{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }])
      expect(main.envFrom).toEqual([
        { secretRef: { name: 'more' } },
        { configMapRef: expect.anything() },
      ])
      expect(main.resources.limits).toEqual({ memory: '512Mi', 'ephemeral-storage': '1Gi' })
      expect(spec.initContainers).toEqual([{ name: 'wait', image: 'wait' }])
      expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual([
        'tmp',
        'ca',
        'secrets',
      ])
      expect(spec).toMatchObject({
        serviceAccountName: 'cloud',
        automountServiceAccountToken: false,
      })
    }
  })

  test('reaches one part alone by the name of its container', () => {
    const podTemplate: Json = {
      spec: { containers: [{ name: 'catalog', env: [{ name: 'A', value: '1' }] }] },
    }
    expect(rendered(podTemplate, 'catalog').main.env).toEqual([{ name: 'A', value: '1' }])
    expect(rendered(podTemplate).spec).toEqual(own.spec)
  })

  test('takes fixed ids away, which OpenShift refuses, by null or by replacing the security context', () => {
    const byNull = { runAsUser: null, runAsGroup: null, fsGroup: null }
    const kept = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
    expect(rendered({ spec: { securityContext: byNull } }).spec.securityContext).toEqual(kept)
    const replaced = { $patch: 'replace', ...kept }
    expect(rendered({ spec: { securityContext: replaced } }).spec.securityContext).toEqual(kept)
  })

  test.each<{ what: string; members: Json; names: string }>([
    { what: 'its command', members: { command: ['sh'] }, names: 'command' },
    { what: 'its arguments', members: { args: ['serve'] }, names: 'args' },
    { what: 'its image', members: { image: 'other' }, names: 'image' },
    { what: 'a probe', members: { livenessProbe: null }, names: 'livenessProbe' },
    { what: 'its port', members: { ports: [{ containerPort: 1, name: 'http' }] }, names: 'ports' },
    {
      what: 'the pause before it stops',
      members: { lifecycle: { preStop: { exec: {} } } },
      names: 'lifecycle.preStop',
    },
    {
      what: 'a variable of the operator',
      members: { env: [{ name: 'PORT', value: '1' }] },
      names: 'env[PORT]',
    },
    {
      what: 'a seed beside the file of the operator',
      members: { env: [{ name: 'TESTNET_SPONSOR_SECRET', value: 'S' }] },
      names: 'env[TESTNET_SPONSOR_SECRET]',
    },
    {
      what: 'what is mounted for secrets',
      members: { volumeMounts: [{ name: 'other', mountPath: '/etc/x402/secrets' }] },
      names: 'volumeMounts',
    },
  ])('cannot replace $what of the main container', ({ members, names }) => {
    const { overridden, main } = inMain(members)
    expect(overridden).toEqual([`spec.containers[facilitator].${names}`])
    expect(main).toEqual(own.main)
  })

  test('adds ports, hooks and variables of other names beside those of the operator', () => {
    const { overridden, main } = inMain({
      ports: [{ containerPort: 9999, name: 'debug' }],
      lifecycle: { postStart: { exec: { command: ['true'] } } },
      env: [{ name: 'NODE_OPTIONS', value: '--max-http-header-size=1' }],
    })
    expect(overridden).toEqual([])
    expect(main.ports).toHaveLength(own.main.ports.length + 1)
    expect(main.lifecycle).toMatchObject({ ...own.main.lifecycle, postStart: expect.anything() })
  })

  test('raises the grace period, and never takes settlements in progress their time', () => {
    const longer = rendered({ spec: { terminationGracePeriodSeconds: 120 } })
    expect([longer.spec.terminationGracePeriodSeconds, longer.overridden]).toEqual([120, []])
    const shorter = rendered({ spec: { terminationGracePeriodSeconds: 10 } })
    expect(shorter.spec).toEqual(own.spec)
    expect(shorter.overridden).toEqual(['spec.terminationGracePeriodSeconds'])
  })

  test('cannot replace the volume with the secrets', () => {
    const { overridden, spec } = rendered({
      spec: { volumes: [{ name: 'secrets', emptyDir: {} }] },
    })
    expect(overridden).toEqual(['spec.volumes[secrets]'])
    expect(spec).toEqual(own.spec)
  })

  test('keeps a Job able to end: no sidecar, but volumes, variables and scheduling', () => {
    const podTemplate: Json = {
      spec: {
        containers: [
          {
            name: 'svc',
            env: [
              { name: 'HTTPS_PROXY', value: 'x' },
              { name: 'DATABASE_URL', value: 'evil' },
            ],
          },
          { name: 'agent', image: 'agent' },
        ],
        initContainers: [{ name: 'wait', image: 'wait' }],
        nodeSelector: { pool: 'payments' },
      },
    }
    const { spec } = Object(migrationJob(desiredWith({ podTemplate }))['spec']).template
    const names = spec.containers[0].env.map(({ name }: { name: string }) => name)
    expect(spec.containers).toHaveLength(1)
    expect(names).toEqual(['DATABASE_URL_FILE', 'LOG_LEVEL', 'HTTPS_PROXY'])
    expect(spec).toMatchObject({ restartPolicy: 'Never', nodeSelector: { pool: 'payments' } })
    expect(spec.initContainers).toHaveLength(1)
  })

  test('spreads pods by a selector of its own, or over those of the part', () => {
    const mine = { topologyKey: 'rack', labelSelector: { matchLabels: { app: 'x' } } }
    const { spec } = rendered({
      spec: { topologySpreadConstraints: [mine, { topologyKey: 'zone' }] },
    })
    expect(spec.topologySpreadConstraints[0]).toEqual({
      ...mine,
      maxSkew: 1,
      whenUnsatisfiable: 'ScheduleAnyway',
    })
    expect(spec.topologySpreadConstraints[1]).toMatchObject({
      matchLabelKeys: ['pod-template-hash'],
    })
  })

  test('is reported with each member that the operator replaced', () => {
    const podTemplate: Json = { spec: { containers: [{ name: 'svc', args: ['serve'] }] } }
    const accepted = (spec: Json) =>
      conditionsOf(resultWith({ spec })).find(({ type }) => type === 'PodTemplateAccepted')
    expect(accepted({ podTemplate })).toEqual({
      type: 'PodTemplateAccepted',
      status: 'False',
      reason: 'TemplateOverridden',
      message:
        'The operator keeps its own values of these members of spec.podTemplate: spec.containers[facilitator].args. Remove them from the spec.',
    })
    expect(accepted({})).toMatchObject({ status: 'True' })
  })
})
