import type {
  KubeObject,
  ObjectMeta,
  ResourceType,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'

export interface Thing extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

export const things: ResourceType<Thing> = {
  group: 'test.dev',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
}

/** A thing named `name` in namespace `ns`, at version 1. */
export const thing = (
  name: string,
  metadata: Partial<ObjectMeta> = {},
  members: Pick<Thing, 'spec' | 'status'> = {},
): Thing => ({
  apiVersion: 'test.dev/v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
  ...members,
})
