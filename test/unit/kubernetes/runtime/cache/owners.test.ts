import { expect, test } from 'vitest'
import {
  byController,
  controllerReference,
  ownedKey,
} from '../../../../../src/kubernetes/runtime/cache/owners.ts'
import { thing } from '../support/objects.ts'

const owner = thing('owner')
const childIn = (namespace: string) => {
  const child = thing('child')
  const ownerReferences = [controllerReference(owner)]
  return { ...child, metadata: { ...child.metadata, namespace, ownerReferences } }
}

test('finds the children of an owner in its own namespace', () => {
  const { namespace = '' } = owner.metadata
  expect(byController(childIn(namespace))).toEqual([ownedKey(owner.metadata)])
})

test('an object of another namespace is not the child of the owner that it names', () => {
  expect(byController(childIn('hostile'))).not.toContain(ownedKey(owner.metadata))
})

test('an object without a controller is in no place', () => {
  expect(byController(owner)).toEqual([])
})
