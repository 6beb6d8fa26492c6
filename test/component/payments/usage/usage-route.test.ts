import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALICE, BOB, CAROL, openUsageWorld, subjectOf, type UsageWorld } from './usage-world.ts'

/* Interface, Authentication 2, 6 and 7: who may read what. */

let world: UsageWorld
beforeAll(async () => {
  world = await openUsageWorld({ perKeyPerMinute: 12 })
})
afterAll(() => world[Symbol.asyncDispose]())

const get = (headers: Record<string, string> = {}) =>
  fetch(`${world.stack.baseUrl}/usage`, { headers })

describe.each([
  { who: 'a caller without a key', headers: {} },
  { who: 'an unknown X-API-Key', headers: { 'x-api-key': 'svc_unknown' } },
  { who: 'an unknown bearer', headers: { authorization: 'Bearer svc_unknown' } },
  { who: 'an empty key', headers: { 'x-api-key': '' } },
  { who: 'the digest of a known key', headers: { 'x-api-key': subjectOf(ALICE).slice(4) } },
])('"/usage always requires a key": $who', ({ headers }) => {
  it('gets HTTP 401 with the plain error object', async () => {
    const response = await get(headers)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      error: {
        code: 'unauthorized',
        reason: expect.stringMatching(/\S/),
        retryable: false,
      },
    })
  })
})

it.each([
  { header: 'Authorization: Bearer <API_KEY>', headers: { authorization: `Bearer ${ALICE}` } },
  { header: 'X-API-Key: <API_KEY>', headers: { 'x-api-key': ALICE } },
])('answers about the key of $header', async ({ headers }) => {
  const response = await get(headers)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({
    subject: subjectOf(ALICE),
    days: 31,
    serviceFee: { perSettlementUsd: '0', accruedUsd: '0' },
    usage: [],
  })
})

it('shows a key its own requests only', async () => {
  await world.post('/verify', await world.pay(), BOB)
  expect((await world.usageOf(BOB)).usage).toHaveLength(1)
  expect((await world.usageOf(ALICE)).usage).toEqual([])
})

it('is limited like other requests', async () => {
  const statuses = []
  // One of two minutes gets more than the limit.
  for (let asked = 0; asked < 26; asked++) {
    const { status } = await get({ 'x-api-key': CAROL })
    statuses.push(status)
  }
  expect(statuses).toContain(429)
})
