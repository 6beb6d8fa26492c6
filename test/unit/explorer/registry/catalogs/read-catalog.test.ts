import { expect, test } from 'vitest'
import { readCatalogPage } from '../../../../../src/explorer/registry/catalogs/read-catalog.ts'

const payTo = 'GCEZWKCA5VLDNRLN3RPRJMRZOX3Z6G5CHCGSNFHEYVXM3XOJMDS674JZ'
const item = (changes: object = {}) => ({
  resource: 'https://seller.example/weather',
  accepts: [{ network: 'stellar:testnet', payTo }],
  ...changes,
})
const read = (body: unknown) => readCatalogPage(Buffer.from(JSON.stringify(body)))
const registrationsOf = (changes: object) => read({ items: [item(changes)] })?.registrations

test('an item registers each of its payees, with the words of the item', () => {
  expect(
    read({
      items: [
        item({
          serviceName: 'Weather',
          description: 'Of today',
          accepts: [
            { network: 'stellar:testnet', payTo },
            { network: 'stellar:pubnet', payTo },
            { network: 'eip155:8453', payTo: '0x1' },
            { network: 'stellar:testnet', payTo: `${payTo.slice(0, -1)}A` },
          ],
        }),
      ],
      pagination: { total: 12 },
    }),
  ).toEqual({
    items: 1,
    total: 12,
    registrations: ['stellar:testnet', 'stellar:pubnet'].map((network) => ({
      network,
      payTo,
      resource: 'https://seller.example/weather',
      serviceName: 'Weather',
      description: 'Of today',
    })),
  })
})

test.each([
  ['a script', 'javascript:alert(1)'],
  ['no URL', 'weather'],
  ['an invisible character', 'https://seller.example/\u202eweather'],
  ['2,049 characters', `https://seller.example/${'x'.repeat(2_026)}`],
  ['a number', 7],
])('an item whose resource is %s is left out', (_, resource) => {
  expect(registrationsOf({ resource })).toEqual([])
})

test.each([
  ['hidden and control characters', 'We\u202eath\u0000er\n now ', 'Weather now'],
  ['half a surrogate pair', '\ud800Weather', 'Weather'],
  ['nothing to see', '\u200b\u2800', null],
  ['another type', { toString: 'Weather' }, null],
])('a name with %s is cleaned', (_, serviceName, expected) => {
  const [registration] = registrationsOf({ serviceName }) ?? []
  expect(registration?.serviceName).toBe(expected)
})

test('names and descriptions are cut', () => {
  const [registration] =
    registrationsOf({ serviceName: 'n'.repeat(100_000), description: 'd'.repeat(100_000) }) ?? []
  expect(registration?.serviceName).toHaveLength(64)
  expect(registration?.description).toHaveLength(500)
})

test.each(['', 'null', '[]', '{"items":{}}', '{'])('%s is no page', (body) => {
  expect(readCatalogPage(Buffer.from(body))).toBeUndefined()
})
