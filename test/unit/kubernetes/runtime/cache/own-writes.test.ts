import { describe, expect, test } from 'vitest'
import { createStatusWriter } from '../../../../../src/kubernetes/runtime/apply/status-writer.ts'
import { OwnWrites } from '../../../../../src/kubernetes/runtime/cache/own-writes.ts'
import { changedByOthers } from '../../../../../src/kubernetes/runtime/controller/predicates.ts'
import { type Thing, thing, things } from '../support/objects.ts'

const at = (resourceVersion: string, status: Thing['status'] = {}) =>
  thing('a', { resourceVersion }, { status })

describe('the last write of an object', () => {
  test.each([
    { when: 'replaces the cached object while the cache is behind', cached: '8', expected: '9' },
    { when: 'equals the cached object once the cache has it', cached: '9', expected: '9' },
    { when: 'gives way to a later write of others', cached: '10', expected: '10' },
  ])('$when', ({ cached, expected }) => {
    const own = new OwnWrites()
    own.note(at('9'))
    expect(own.over(at(cached)).metadata.resourceVersion).toBe(expected)
  })

  test('does not apply to another object of the same name', () => {
    const own = new OwnWrites()
    own.note(at('9'))
    const next = thing('a', { resourceVersion: '8', uid: 'another' })
    expect(own.over(next)).toBe(next)
  })

  test('holds nothing of what users write, which may be large', () => {
    const own = new OwnWrites()
    own.note(thing('a', { resourceVersion: '9', labels: { of: 'users' }, finalizers: ['ours'] }))
    const { metadata } = own.over(thing('a', { resourceVersion: '8' }))
    expect(metadata).toMatchObject({ resourceVersion: '9', finalizers: ['ours'] })
    expect(metadata.labels).toBeUndefined()
  })

  test('is held as its version alone once the cache has it', () => {
    const own = new OwnWrites()
    own.note(at('9', { now: true }))
    own.seen(at('8'))
    expect(own.over(at('8')).status).toEqual({ now: true })
    own.seen(at('9', { now: true }))
    expect(own.over(at('8'))).toEqual(at('8'))
    expect(own.has(at('9'))).toBe(true)
  })

  test('is recorded by the status writer', async () => {
    const own = new OwnWrites()
    const written = at('9', { now: true })
    const client = { applyStatus: async () => written as never }
    await createStatusWriter({ client, own }).write({
      type: things,
      live: at('8'),
      status: { now: true },
    })
    expect(own.over(at('8'))).toEqual(written)
  })
})

describe('a change by others', () => {
  const before = thing('a', { resourceVersion: '8', finalizers: ['ours'] }, { status: { is: 1 } })
  const now = (changes: Partial<Thing>, metadata: Partial<Thing['metadata']> = {}) => ({
    ...before,
    ...changes,
    metadata: { ...before.metadata, resourceVersion: '9', ...metadata },
  })

  test.each([
    { is: 'another status', object: now({ status: { is: 2 } }), expected: true },
    { is: 'a removed finalizer', object: now({}, { finalizers: [] }), expected: true },
    { is: 'not a label', object: now({}, { labels: { a: 'b' } }), expected: false },
    { is: 'not a new spec', object: now({ spec: { a: 1 } }), expected: false },
  ])('is $is', ({ object, expected }) => {
    const predicate = changedByOthers(new OwnWrites())
    expect(predicate({ type: 'updated', object, previous: before })).toBe(expected)
  })

  test('is not an own write', () => {
    const own = new OwnWrites()
    const object = now({ status: { is: 2 } })
    own.note(object)
    expect(changedByOthers(own)({ type: 'updated', object, previous: before })).toBe(false)
  })
})
