import { describe, expect, test } from 'vitest'
import {
  fieldsOfOthers,
  findAddition,
  valueToRestore,
} from '../../../../../src/kubernetes/runtime/apply/managed-fields.ts'
import { ObjectStore } from '../../../../../src/kubernetes/runtime/cache/store.ts'
import type {
  KubeObject,
  ManagedFieldsEntry,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { thing } from '../support/objects.ts'

const manager = 'us'
const restartedAt = ['spec', 'template', 'annotations', 'restarted.dev/at']
const part = { path: ['spec', 'template'], except: [restartedAt] }

const entry = (template: object, by: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager: 'kubectl',
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:template': template } },
  ...by,
})

const withTemplate = (template: unknown, ...managedFields: ManagedFieldsEntry[]): KubeObject => {
  const one = thing('one')
  return { ...one, metadata: { ...one.metadata, managedFields }, spec: { template } } as KubeObject
}
const desired = {
  spec: {
    template: {
      selector: { app: 'x' },
      spec: { containers: [{ name: 'app', image: 'x' }] },
    },
  },
}
const containers = (...list: object[]) => ({ spec: { containers: list } })
const app = { name: 'app', image: 'x' }
const inApp = (fields: object) => ({
  'f:spec': { 'f:containers': { 'k:{"name":"app"}': { '.': {}, ...fields } } },
})

describe('what another manager added to an owned part', () => {
  test.each<{ what: string; live: unknown; fields: object; by?: object; found?: string }>([
    {
      what: 'a container',
      live: containers(app, { name: 'miner' }),
      fields: { 'f:spec': { 'f:containers': { 'k:{"name":"miner"}': { 'f:name': {} } } } },
      found: 'spec.template.spec.containers.*.name',
    },
    {
      what: 'a variable',
      live: containers({ ...app, env: [{ name: 'RPC_URL', value: 'evil' }] }),
      fields: inApp({ 'f:env': { '.': {}, 'k:{"name":"RPC_URL"}': { 'f:value': {} } } }),
      found: 'spec.template.spec.containers.*.env',
    },
    {
      what: 'a field of a container',
      live: containers({ ...app, command: ['sh'] }),
      fields: inApp({ 'f:command': {} }),
      found: 'spec.template.spec.containers.*.command',
    },
    {
      what: 'an annotation',
      live: { annotations: { theirs: 'x' } },
      fields: { 'f:annotations': { '.': {}, 'f:theirs': {} } },
      found: 'spec.template.annotations.theirs',
    },
    {
      what: 'nothing: the excepted annotation',
      live: { annotations: { 'restarted.dev/at': 'noon' } },
      fields: { 'f:annotations': { '.': {}, 'f:restarted.dev/at': {} } },
    },
    {
      what: 'a member of a map that managers own as a whole',
      live: { selector: { app: 'x', other: 'y' } },
      fields: { 'f:selector': {} },
      found: 'spec.template.selector.other',
    },
    {
      what: 'nothing: a field that the desired object has too',
      live: containers(app),
      fields: inApp({ 'f:image': {} }),
    },
    {
      what: 'nothing: a default that no manager owns',
      live: containers({ ...app, terminationMessagePath: '/dev/termination-log' }),
      fields: inApp({ 'f:image': {} }),
    },
    {
      what: 'nothing: what the operator itself applied',
      live: containers({ ...app, command: ['sh'] }),
      fields: inApp({ 'f:command': {} }),
      by: { manager, operation: 'Apply' },
    },
    {
      what: 'an update under the name of the operator',
      live: containers({ ...app, command: ['sh'] }),
      fields: inApp({ 'f:command': {} }),
      by: { manager },
      found: 'spec.template.spec.containers.*.command',
    },
    { what: 'nothing: an empty map', live: { spec: {} }, fields: { 'f:spec': {} } },
  ])('is $what', ({ live, fields, by, found }) => {
    const object = withTemplate(live, entry(fields, by))
    expect(findAddition({ desired, live: object, manager, part })).toBe(found)
  })

  test('is not looked for outside of the part', () => {
    const object = withTemplate({}, { ...entry({}), fieldsV1: { 'f:spec': { 'f:replicas': {} } } })
    expect(findAddition({ desired, live: object, manager, part })).toBeUndefined()
  })

  test('is all that a cache keeps of the managers of an object', () => {
    const store = new ObjectStore<KubeObject>({}, fieldsOfOthers(manager, [part]))
    const ours = entry(inApp({ 'f:image': {} }), { manager, operation: 'Apply' })
    const status = { ...entry({}), fieldsV1: { 'f:status': {} } }
    const theirs = entry(inApp({ 'f:command': {} }))
    const kept = store.put(withTemplate({}, ours, status, theirs))?.object.metadata.managedFields
    expect(kept).toEqual([theirs])

    const plain = new ObjectStore<KubeObject>().put(withTemplate({}, ours, status))
    expect(plain?.object.metadata).not.toHaveProperty('managedFields')
  })

  test('goes when the part is restored, and an excepted field stays', () => {
    const live = withTemplate({
      ...containers({ name: 'miner' }),
      annotations: { 'restarted.dev/at': 'noon', theirs: 'x' },
    })
    expect(valueToRestore(desired, live, part)).toEqual({
      ...desired.spec.template,
      annotations: { 'restarted.dev/at': 'noon' },
    })
  })
})
