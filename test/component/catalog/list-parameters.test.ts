import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '../../support/catalog-listing.ts'
import { type DiscoveryWorld, openDiscovery } from './discovery-world.ts'

/* The rows of the interface's table of the list's parameters, each quoted in the title of its case. */

const opened = new AsyncDisposableStack()
let world: DiscoveryWorld
beforeAll(async () => {
  world = opened.use(await openDiscovery())
})
afterAll(() => opened.disposeAsync())

describe('rule 4: "Unsupported or malformed parameters are refused"', () => {
  const contract = 'CAEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQTD2L'
  const seed = 'SAEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQSCIJBEEQTDMN'

  test.each([
    { row: 'payTo: "^[A-Z2-7]{56}$"', name: 'payTo', good: accounts.first },
    { row: 'payTo: "^[A-Z2-7]{56}$", a contract', name: 'payTo', good: contract },
    { row: 'payTo: "^M[A-Z2-7]{68}$"', name: 'payTo', good: accounts.muxedOnFirst },
    { row: 'scheme: "^[a-z][a-z0-9_-]{0,31}$"', name: 'scheme', good: `a${'_'.repeat(31)}` },
    { row: 'resource type: "^[a-z][a-z0-9_-]{0,31}$"', name: 'type', good: 'a-9' },
    { row: 'network: "^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,64}$"', name: 'network', good: 'abc:D' },
    { row: 'asOf: "date-time"', name: 'asOf', good: '2026-01-01T00:00:00Z' },
    { row: 'asOf: "date-time", with a zone', name: 'asOf', good: '2026-01-01T00:00:00.5+02:00' },
    { row: 'extension keys: "at most 10"', name: 'extensions', good: 'a,b,c,d,e,f,g,h,i,J-_9' },
    { row: 'page size: "integer >= 1"', name: 'limit', good: '1' },
    { row: 'page size: "values above 100 are clamped to 100"', name: 'limit', good: '1000' },
    { row: 'offset: "integer 0 to 1000000"', name: 'offset', good: '1000000' },
    { row: 'offset: "integer 0 to 1000000"', name: 'offset', good: '0' },
  ])('$row takes $good', async ({ name, good }) => {
    const { status, body } = await world.ask('/discovery/resources', { [name]: good })
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
    if (name === 'limit') expect(body.pagination.limit).toBe(Math.min(Number(good), 100))
    if (name === 'offset') expect(body.pagination.offset).toBe(Number(good))
  })

  test.each([
    ['payTo', accounts.first.toLowerCase()],
    ['payTo', `${accounts.first.slice(0, -1)}A`],
    ['payTo', `${accounts.muxedOnFirst.slice(0, -1)}A`],
    ['payTo', seed],
    ['payTo', ''],
    ['payTo', `${accounts.first},${accounts.second}`],
    ['scheme', 'Exact'],
    ['scheme', `a${'_'.repeat(32)}`],
    ['scheme', '9'],
    ['type', 'HTTP'],
    ['type', "http' or 1=1"],
    ['network', 'testnet'],
    ['network', 'ab:x'],
    ['network', `stellar:${'x'.repeat(65)}`],
    ['asOf', '2026-01-01'],
    ['asOf', '2026-01-01T00:00:00'],
    ['asOf', '2026-02-30T00:00:00Z'],
    ['asOf', '1767225600000'],
    ['extensions', ''],
    ['extensions', 'a,,b'],
    ['extensions', 'a b'],
    ['extensions', 'x'.repeat(65)],
    ['extensions', 'a,b,c,d,e,f,g,h,i,j,k'],
    ['limit', '0'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', 'ten'],
    ['limit', ''],
    ['offset', '1000001'],
    ['offset', '-1'],
    ['offset', '1e3'],
  ])('%s=%s is refused by name, and its value is not repeated', async (name, bad) => {
    const { status, body } = await world.ask('/discovery/resources', { [name]: bad })
    expect({ status, ...body.error }).toMatchObject({
      status: 400,
      code: 'discovery_invalid_parameter',
      reason: expect.stringContaining(`the parameter ${name} `),
      retryable: false,
    })
    if (bad.length > 20) expect(body.error.reason).not.toContain(bad)
  })

  test.each([
    { query: 'page=2', reason: 'the parameter "page" is not supported' },
    { query: 'query=a', reason: 'the parameter "query" is not supported' },
    { query: 'limit=1&limit=2', reason: 'the parameter limit is given more than once' },
    { query: '__proto__=1', reason: 'the parameter "__proto__" is not supported' },
    {
      query: `${'x'.repeat(5_000)}=1`,
      reason: `the parameter "${'x'.repeat(40)}..." is not supported`,
    },
  ])('$reason', async ({ query, reason }) => {
    const { status, body } = await world.get(`/discovery/resources?${query}`)
    expect({ status, ...body.error }).toMatchObject({
      ...{ status: 400, code: 'discovery_invalid_parameter', reason },
    })
  })
})
