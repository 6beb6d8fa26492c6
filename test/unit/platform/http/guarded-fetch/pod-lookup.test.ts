import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import { podLookup } from '../../../../../src/platform/http/guarded-fetch/pod-lookup.ts'

const resolvConf = [
  'search shop.svc.cluster.local svc.cluster.local cluster.local.',
  'nameserver 10.96.0.10',
  'options ndots:5',
].join('\n')
const hosts = [
  '127.0.0.1 localhost',
  '10.1.2.3 db.local Other # a comment',
  'fd00::1 db.local',
].join('\n')

const notFound = (name: string) => Object.assign(new Error(`queryA ${name}`), { code: 'ENOTFOUND' })

/** Looks names up where these exist alone. */
function lookupAmong(records: Readonly<Record<string, string>>) {
  const asked: string[] = []
  const resolve = async (name: string): Promise<readonly LookupAddress[]> => {
    asked.push(name)
    const address = records[name]
    if (address === undefined) throw notFound(name)
    return [{ address, family: 4 }]
  }
  return { asked, lookup: podLookup({ resolve, hosts, resolvConf }) }
}

const addressesOf = (lookup: LookupFunction, name: string, options = {}): Promise<unknown> =>
  new Promise((done, fail) => {
    lookup(name, { all: true, ...options }, (error, found) => (error ? fail(error) : done(found)))
  })

test.each([
  { name: 'db', full: 'db.shop.svc.cluster.local' },
  { name: 'db.bank', full: 'db.bank.svc.cluster.local' },
  { name: 'db.bank.svc', full: 'db.bank.svc.cluster.local' },
  { name: 'db.example', full: 'db.example' },
  { name: 'db.example.', full: 'db.example.' },
])('$name is found as $full', async ({ name, full }) => {
  const { lookup } = lookupAmong({ [full]: '10.0.0.1' })
  expect(await addressesOf(lookup, name)).toEqual([{ address: '10.0.0.1', family: 4 }])
})

test('a name with as many dots as ndots is asked for as it is first', async () => {
  const { lookup, asked } = lookupAmong({ 'a.b.c.d.e.example': '10.0.0.1' })
  await addressesOf(lookup, 'a.b.c.d.e.example')
  expect(asked).toEqual(['a.b.c.d.e.example'])
})

test('the hosts file comes first', async () => {
  const { lookup, asked } = lookupAmong({})
  expect(await addressesOf(lookup, 'DB.local')).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::1', family: 6 },
  ])
  expect(await addressesOf(lookup, 'db.local', { family: 6 })).toHaveLength(1)
  expect(await addressesOf(lookup, 'other')).toHaveLength(1)
  expect(asked).toEqual([])
})

test('a name without an address fails as with the function of node', async () => {
  const { lookup } = lookupAmong({})
  await expect(addressesOf(lookup, 'nowhere.example')).rejects.toMatchObject({
    code: 'ENOTFOUND',
    message: 'getaddrinfo ENOTFOUND nowhere.example',
  })
})
