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

describe('the comparison of rights with requests', () => {
  test('finds nothing where each right was needed, and no other', () => {
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
      when: 'the right is for another name',
      calls: [call('get', 'leases', { ...lease, name: 'theirs' })],
      ungranted: ['get /leases'],
    },
    {
      when: 'somebody else asked',
      calls: [call('delete', 'deployments', { userAgent: 'kubectl' })],
      ungranted: [],
    },
    {
      when: 'the path is no resource',
      calls: [call('get', '', { apiGroup: '' })],
      ungranted: [],
    },
  ])('says what was missing when $when', ({ calls, ungranted }) => {
    expect(compareRights(rules, calls, { userAgent: 'svc-operator' }).ungranted).toEqual(ungranted)
  })

  test('says what was never needed: an apply of what exists creates nothing', () => {
    const calls = [call('patch', 'deployments', { ...apply, status: 200 })]
    expect(compareRights(rules, calls).unused).toEqual(['create apps/deployments', 'get /leases'])
  })
})

describe('the rights of the operator', () => {
  test('are written out, and none lets it gain more', () => {
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

  test('let it only look at Secrets', () => {
    const verbs = operatorRights()
      .filter(({ resources }) => resources.includes('secrets'))
      .flatMap((rule) => rule.verbs)
    expect(verbs.toSorted()).toEqual(['get', 'list', 'watch'])
  })

  test('are all seen in journals but those of owner references', () => {
    const { unused } = compareRights(operatorRights(), [], { implicit: [] })
    expect(implicitRights.filter((right) => !unused.includes(right))).toEqual([])
  })
})
