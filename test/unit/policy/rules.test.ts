import { describe, expect, test } from 'vitest'
import { FakeNetwork, tcp } from './cluster.ts'

/* The examples of Kubernetes' page on network policies, and the rules of the API's reference beside them. */

const role = (value: string) => ({ matchLabels: { role: value } })
const project = (value: string) => ({ matchLabels: { project: value } })
const three = {
  db: { labels: { role: 'db' }, ports: { redis: 6_379 } },
  frontend: { labels: { role: 'frontend' } },
  other: { labels: { role: 'other' } },
  elsewhere: { namespace: 'myproject', labels: { role: 'frontend' } },
  stranger: { namespace: 'theirs', labels: { role: 'frontend' } },
}
const internet = '203.0.113.9'

test('without a policy everything connects', () => {
  const network = new FakeNetwork(three, [])
  expect(network.connects('other', 'db')).toBe(true)
  expect(network.connects('db', internet)).toBe(true)
})

describe('the example of the page: ingress from a block, a namespace or pods, egress to a block', () => {
  const network = new FakeNetwork(three, [
    {
      podSelector: role('db'),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            { ipBlock: { cidr: '172.17.0.0/16', except: ['172.17.1.0/24'] } },
            { namespaceSelector: project('myproject') },
            { podSelector: role('frontend') },
          ],
          ports: [tcp(6_379)],
        },
      ],
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/24' } }], ports: [tcp(5_978)] }],
    },
  ])

  test.each([
    { from: 'frontend', connects: true },
    { from: 'elsewhere', connects: true },
    { from: '172.17.0.8', connects: true },
    { from: '172.17.1.8', connects: false },
    { from: 'other', connects: false },
    { from: 'stranger', connects: false },
    { from: internet, connects: false },
  ])('$from reaches the port of the database: $connects', ({ from, connects }) => {
    expect(network.connects(from, 'db')).toBe(connects)
    expect(network.connects(from, 'db', 5_432)).toBe(false)
    expect(network.connects(from, 'db', 6_379, 'UDP')).toBe(false)
  })

  test('the database reaches only the block, at its port', () => {
    expect(network.connects('db', '10.0.0.7', 5_978)).toBe(true)
    expect(network.connects('db', '10.0.0.7', 443)).toBe(false)
    expect(network.connects('db', '10.0.1.7', 5_978)).toBe(false)
    expect(network.connects('db', 'frontend', 5_978)).toBe(false)
  })

  test('other pods are not isolated', () => {
    expect(network.connects('stranger', 'other')).toBe(true)
    expect(network.connects('other', internet)).toBe(true)
  })
})

describe('the default policies of the page', () => {
  test.each([
    { name: 'deny all ingress', spec: { policyTypes: ['Ingress'] }, in: false, out: true },
    { name: 'allow all ingress', spec: { ingress: [{}] }, in: true, out: true },
    { name: 'deny all egress', spec: { policyTypes: ['Egress'] }, in: true, out: false },
    {
      name: 'allow all egress',
      spec: { policyTypes: ['Egress'], egress: [{}] },
      in: true,
      out: true,
    },
    {
      name: 'deny both',
      spec: { policyTypes: ['Ingress', 'Egress'] },
      in: false,
      out: false,
    },
    { name: 'types from the rules alone', spec: { egress: [] }, in: false, out: false },
    { name: 'no types, no rules', spec: {}, in: false, out: true },
  ])('$name', ({ spec, in: ingress, out: egress }) => {
    const network = new FakeNetwork(three, [{ podSelector: {}, ...spec }])
    expect(network.connects('stranger', 'db')).toBe(ingress)
    expect(network.connects('db', internet, 443)).toBe(egress)
    expect(network.connects('db', 'db')).toBe(true)
    expect(network.connects('stranger', 'elsewhere')).toBe(true)
  })
})

test('policies add up, and cannot take away what another one permits', () => {
  const network = new FakeNetwork(three, [
    { podSelector: {}, policyTypes: ['Ingress'] },
    { podSelector: role('db'), ingress: [{ from: [{ podSelector: {} }] }] },
  ])
  expect(network.connects('other', 'db')).toBe(true)
  expect(network.connects('stranger', 'db')).toBe(false)
  expect(network.connects('other', 'frontend')).toBe(false)
})

test('both selectors in one peer must match, and both ends of a connection must permit it', () => {
  const network = new FakeNetwork(three, [
    {
      podSelector: role('db'),
      ingress: [
        { from: [{ namespaceSelector: project('myproject'), podSelector: role('frontend') }] },
      ],
    },
    {
      podSelector: role('frontend'),
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: role('db') }] }],
    },
  ])
  expect(network.connects('elsewhere', 'db')).toBe(true)
  expect(network.connects('stranger', 'db')).toBe(false)
  // Its own egress permits it, the ingress of the database does not.
  expect(network.connects('frontend', 'db')).toBe(false)
  expect(network.connects('frontend', 'other')).toBe(false)
})

test('an empty selector of namespaces is every pod, and no other address', () => {
  const network = new FakeNetwork(three, [
    { podSelector: role('db'), ingress: [{ from: [{ namespaceSelector: {} }] }] },
  ])
  expect(network.connects('stranger', 'db')).toBe(true)
  expect(network.connects(internet, 'db')).toBe(false)
})

test('ports: DNS by both protocols, a range, a name, and all of a protocol', () => {
  const network = new FakeNetwork(three, [
    {
      podSelector: role('other'),
      policyTypes: ['Egress'],
      egress: [
        { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
        { to: [{ namespaceSelector: {} }], ports: [tcp('redis')] },
        { to: [{ ipBlock: { cidr: '203.0.113.0/24' } }], ports: [tcp(32_000, 32_768)] },
        { to: [{ ipBlock: { cidr: '198.51.100.0/24' } }], ports: [{ protocol: 'UDP' }] },
      ],
    },
    { podSelector: role('db'), ingress: [{ ports: [tcp('redis')] }] },
  ])
  expect(network.connects('other', internet, 53, 'UDP')).toBe(true)
  expect(network.connects('other', 'stranger', 53)).toBe(true)
  expect(network.connects('other', 'db', 6_379)).toBe(true)
  expect(network.connects('other', 'stranger', 6_379)).toBe(false)
  expect(network.connects('other', internet, 32_500)).toBe(true)
  expect(network.connects('other', internet, 32_769)).toBe(false)
  expect(network.connects('other', '198.51.100.1', 9, 'UDP')).toBe(true)
  expect(network.connects('other', '198.51.100.1', 9)).toBe(false)
  expect(network.connects('frontend', 'db', 6_379)).toBe(true)
  expect(network.connects('frontend', 'db', 80)).toBe(false)
})

test('expressions select as in the rest of Kubernetes, and an unknown operator is an error', () => {
  const reaches = (operator: string, values?: string[]) =>
    new FakeNetwork(three, [
      {
        podSelector: {},
        ingress: [
          {
            from: [
              {
                podSelector: {
                  matchExpressions: [{ key: 'role', operator, ...(values && { values }) }],
                },
              },
            ],
          },
        ],
      },
    ]).connects('frontend', 'db')
  expect(reaches('In', ['frontend'])).toBe(true)
  expect(reaches('NotIn', ['frontend'])).toBe(false)
  expect(reaches('Exists')).toBe(true)
  expect(reaches('DoesNotExist')).toBe(false)
  expect(() => reaches('Near')).toThrow('unknown operator Near')
})

test('a block leaves out pods and nodes where the plugin does, as Cilium', () => {
  const everywhere = {
    podSelector: role('db'),
    policyTypes: ['Egress'],
    egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }] }],
  }
  const calico = new FakeNetwork(three, [everywhere])
  const cilium = new FakeNetwork(three, [everywhere], ['10.244.0.0/16'])
  expect(calico.connects('db', 'other')).toBe(true)
  expect(cilium.connects('db', 'other')).toBe(false)
  expect(cilium.connects('db', internet)).toBe(true)
})
