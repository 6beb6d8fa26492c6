import { describe, expect, test } from 'vitest'
import {
  compareRights,
  implicitRights,
  operatorRights,
  type Rule,
} from '../../cluster/support/rbac-journal.ts'

const call = (verb: string, resource: string, more: object = {}) => ({
  verb,
  apiGroup: 'apps',
  resource,
  subresource: '',
  name: 'a',
  contentType: '',
  status: 200,
  userAgent: 'svc-operator',
  ...more,
})

const rules: readonly Rule[] = [
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch'] },
  { apiGroups: [''], resources: ['leases'], verbs: ['get'], resourceNames: ['ours'] },
]
const apply = { contentType: 'application/apply-patch+yaml', status: 201 }
const lease = { apiGroup: '', name: 'ours' }

describe('the comparison of permissions with requests', () => {
  test('finds nothing where each permission was used, and no other was needed', () => {
    const calls = [call('patch', 'deployments', apply), call('get', 'leases', lease)]
    expect(compareRights(rules, calls)).toEqual({ ungranted: [], unused: [] })
  })

  test.each([
    {
      when: 'a verb was not granted',
      calls: [call('delete', 'deployments')],
      ungranted: ['delete apps/deployments'],
    },
    {
      when: 'a subresource was not granted',
      calls: [call('patch', 'deployments', { subresource: 'status' })],
      ungranted: ['patch apps/deployments/status'],
    },
    {
      when: 'the permission is for another name',
      calls: [call('get', 'leases', { ...lease, name: 'theirs' })],
      ungranted: ['get /leases'],
    },
    {
      when: 'another account sent the request',
      calls: [call('delete', 'deployments', { userAgent: 'kubectl' })],
      ungranted: [],
    },
    {
      when: 'the path is not a resource',
      calls: [call('get', '', { apiGroup: '' })],
      ungranted: [],
    },
  ])('says what was missing when $when', ({ calls, ungranted }) => {
    expect(compareRights(rules, calls, { userAgent: 'svc-operator' }).ungranted).toEqual(ungranted)
  })

  test('finds unused permissions: an apply of an existing object needs no create', () => {
    const calls = [call('patch', 'deployments', { ...apply, status: 200 })]
    expect(compareRights(rules, calls).unused).toEqual(['create apps/deployments', 'get /leases'])
  })
})

describe('the permissions of the operator', () => {
  test('have no wildcards, and none allows escalation', () => {
    const words = operatorRights().flatMap(({ apiGroups, resources, verbs }) => [
      ...apiGroups,
      ...resources,
      ...verbs,
    ])
    expect(words.length).toBeGreaterThan(20)
    for (const word of ['*', 'escalate', 'bind', 'impersonate', 'pods/exec', 'roles', 'nodes']) {
      expect(words).not.toContain(word)
    }
  })

  test('allow no Secret to be created or deleted, and none to be listed', () => {
    const rights = operatorRights().filter(({ resources }) => resources.includes('secrets'))
    expect(rights.map(({ verbs, resourceNames }) => [verbs, resourceNames])).toEqual([
      [['get', 'patch'], undefined],
      [['get', 'patch'], ['stellar-x402-digest-key']],
    ])
  })

  test('are all in journals except those of owner references', () => {
    const { unused } = compareRights(operatorRights(), [], { implicit: [] })
    expect(implicitRights.filter((right) => !unused.includes(right))).toEqual([])
  })
})
