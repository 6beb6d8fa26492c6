import { afterAll, describe, expect, test } from 'vitest'
import { openValidator } from '../../../../src/catalog/validation/open-validator.ts'
import { SchemaThread } from '../../../../src/catalog/validation/schema-thread.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'

/** Long, so that a busy machine ends no validation; what never ends gets the short one. */
const validator = openValidator({ clock: systemClock, allowLoopback: false, timeLimitMs: 20_000 })
const impatient = openValidator({ clock: systemClock, allowLoopback: false })
afterAll(async () => {
  await Promise.all([validator[Symbol.asyncDispose](), impatient[Symbol.asyncDispose]()])
})

/** Each level refers twice to the next one. */
const exponential = (keyword: 'allOf' | 'anyOf', last: unknown) => ({
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/level${level + 1}` }
      return [`level${level}`, level === 39 ? last : { [keyword]: [next, next] }]
    }),
  ),
  $ref: '#/$defs/level0',
})

describe('a validator', () => {
  test('accepts an info that keeps its schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    expect(await validator.validate(schema, { a: 'b' })).toEqual({ ok: true })
  })

  test('answers bazaar_info_invalid to one that does not, and says where', async () => {
    expect(await validator.validate({ properties: { a: { type: 'string' } } }, { a: 5 })).toEqual({
      ok: false,
      code: 'bazaar_info_invalid',
      reason: 'The info of the declaration does not keep its own schema: /a must be string.',
    })
  })

  test('finds a member that is named like one of every object', async () => {
    const schema = { properties: { constructor: { type: 'string' } } }
    expect(await validator.validate(schema, { a: 1 })).toEqual({ ok: true })
    expect(await validator.validate({ required: ['constructor', 'toString'] }, {})).toMatchObject({
      code: 'bazaar_info_invalid',
    })
  })

  test.each<[string, unknown]>([
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['a type that does not exist', { type: 'strung' }],
    ['a pattern that is none', { pattern: '(' }],
    ['a reference without a target', { $ref: '#/$defs/none' }],
    ['a reference to itself', { $ref: '#' }],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }],
    ['an asynchronous schema', { $async: true }],
    ['a keyword of another type', { properties: [] }],
  ])('answers bazaar_schema_invalid to %s', async (_, schema) => {
    expect(await validator.validate(schema, {})).toMatchObject({
      ok: false,
      code: 'bazaar_schema_invalid',
      reason: expect.stringMatching(/^The schema of the declaration is no JSON Schema 2020-12: /),
    })
  })

  test.each<[string, unknown, unknown]>([
    ['a keyword that is unknown', { secret: 1, properties: { a: { widget: 'x' } } }, { a: 1 }],
    ['a format', { properties: { a: { format: 'no-such-format' } } }, { a: 'x' }],
    ['a format that no library checks', { properties: { a: { format: 'email' } } }, { a: 'x' }],
    ['keywords of this draft', { unevaluatedProperties: false, prefixItems: [true] }, {}],
    ['a recursive schema', { properties: { a: { $dynamicRef: '#' } }, type: 'object' }, { a: {} }],
    ['an anchor', { $defs: { a: { $anchor: 'here', type: 'object' } }, $ref: '#here' }, {}],
    ['the draft that it is in', { $schema: 'https://json-schema.org/draft/2020-12/schema' }, {}],
  ])('accepts %s, as the stock client does', async (_, schema, info) => {
    expect(await validator.validate(schema, info)).toEqual({ ok: true })
  })

  test('keeps nothing of a schema for the next one', async () => {
    const named = { $anchor: 'shared', $id: '#', type: 'object' }
    expect(await validator.validate(named, {})).toEqual({ ok: true })
    expect(await validator.validate(named, {})).toEqual({ ok: true })
    expect(await validator.validate({ $ref: '#shared' }, {})).toMatchObject({
      code: 'bazaar_schema_invalid',
    })
  })

  test.each<[string, unknown, unknown]>([
    ['a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`],
    ['references that double at each level', exponential('allOf', { type: 'object' }), {}],
  ])('ends %s with bazaar_schema_timeout, and validates the next one', async (_, schema, info) => {
    expect(await impatient.validate(schema, info)).toEqual({
      ok: false,
      code: 'bazaar_schema_timeout',
      reason: 'The schema takes longer than 250 ms to validate the info.',
    })
    const threads = [validator.validate({}, {}), validator.validate({}, {})]
    expect(await Promise.all(threads)).toEqual([{ ok: true }, { ok: true }])
  })

  test('ends a schema that takes too much memory', async () => {
    await using patient = openValidator({
      clock: systemClock,
      allowLoopback: false,
      timeLimitMs: 60_000,
    })
    // Each failed branch leaves an error.
    expect(await patient.validate(exponential('anyOf', { type: 'string' }), {})).toEqual({
      ok: false,
      code: 'bazaar_schema_timeout',
      reason: 'The schema takes too much memory to validate the info.',
    })
    expect(await patient.validate({}, {})).toEqual({ ok: true })
  })

  test('validates as many as threads and queue hold, and answers bazaar_catalog_unavailable to the rest', async () => {
    await using small = openValidator({
      clock: systemClock,
      allowLoopback: false,
      threads: 1,
      queueLength: 2,
      timeLimitMs: 20_000,
    })
    const codes = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const answer = await small.validate({}, {})
        return answer.ok || answer.code
      }),
    )
    const busy = 'bazaar_catalog_unavailable'
    expect(codes).toEqual([true, true, true, busy, busy])
  })

  test('answers bazaar_catalog_unavailable to what waits when it is closed, and from then on', async () => {
    const closed = openValidator({ clock: systemClock, allowLoopback: false, threads: 1 })
    const waiting = [closed.validate({}, {}), closed.validate({}, {})]
    await closed[Symbol.asyncDispose]()
    const unavailable = { ok: false, code: 'bazaar_catalog_unavailable' }
    expect(await Promise.all(waiting)).toMatchObject([unavailable, unavailable])
    expect(await closed.validate({}, {})).toMatchObject(unavailable)
  })

  test('has one thread at a time for one asker, so that the others are served', async () => {
    await using shared = openValidator({
      clock: systemClock,
      allowLoopback: false,
      threads: 2,
      timeLimitMs: 60_000,
    })
    const ended: string[] = []
    const ask = async (name: string, schema: object, info: unknown) => {
      const answer = await shared.validate(schema, info, { name })
      ended.push(name)
      return answer
    }
    const endless = { pattern: '^(a+)+$' }
    const slow = Array.from({ length: 3 }, () => ask('one', endless, `${'a'.repeat(50)}!`))
    expect(await ask('other', {}, {})).toEqual({ ok: true })
    expect(ended).toEqual(['other'])
    await shared[Symbol.asyncDispose]()
    await Promise.all(slow)
  })

  test('keeps four places in the queue for one asker, and the rest for others', async () => {
    await using shared = openValidator({
      clock: systemClock,
      allowLoopback: false,
      threads: 1,
      timeLimitMs: 20_000,
    })
    const answers = Array.from({ length: 6 }, () => shared.validate({}, {}, { name: 'one' }))
    answers.push(shared.validate({}, {}, { name: 'other' }))
    const isOk = (await Promise.all(answers)).map(({ ok }) => ok)
    expect(isOk).toEqual([true, true, true, true, true, false, true])
  })

  test('rests after a schema that took long, and leaves out what nobody waits for any more', async () => {
    await using resting = openValidator({
      clock: systemClock,
      allowLoopback: false,
      threads: 1,
      restFactor: 10_000,
    })
    const late = await resting.validate({ pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`)
    expect(late).toMatchObject({ code: 'bazaar_schema_timeout' })
    const leaving = new AbortController()
    const left = resting.validate({}, {}, { signal: leaving.signal })
    leaving.abort()
    expect(await left).toMatchObject({ code: 'bazaar_catalog_unavailable' })
    expect(await resting.validate({}, {}, { signal: leaving.signal })).toMatchObject({
      code: 'bazaar_catalog_unavailable',
    })
  })

  test('answers bazaar_catalog_unavailable while the system has no thread left', async () => {
    const thread = new SchemaThread({
      clock: systemClock,
      timeLimitMs: 250,
      startWorker: () => {
        throw new Error('ERR_WORKER_INIT_FAILED')
      },
    })
    expect(await thread.validate({ schema: '{}', info: '{}' })).toMatchObject({
      code: 'bazaar_catalog_unavailable',
    })
    await thread.close()
  })
})
