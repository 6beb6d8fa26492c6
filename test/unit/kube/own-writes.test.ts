import { describe, expect, test } from 'vitest'
import { OwnWrites } from '../../../src/kube/own-writes.ts'
import { changedByOthers } from '../../../src/kube/predicates.ts'
import { createStatusWriter } from '../../../src/kube/status-writer.ts'
import { type Thing, thing, things } from './support/objects.ts'

const at = (resourceVersion: string, status: Thing['status'] = {}) =>
  thing('a', { resourceVersion }, { status })

describe('what was written', () => {
  test.each([
    { when: 'counts while the cache is behind it', cached: '8', seen: '9' },
    { when: 'is what the cache shows, too', cached: '9', seen: '9' },
    { when: 'is overtaken by what somebody wrote later', cached: '10', seen: '10' },
  ])('$when', ({ cached, seen }) => {
    const own = new OwnWrites()
    own.note(at('9'))
    expect(own.over(at(cached)).metadata.resourceVersion).toBe(seen)
  })

  test('says nothing about another object of the same name', () => {
    const own = new OwnWrites()
    own.note(at('9'))
    const next = thing('a', { resourceVersion: '8', uid: 'another' })
    expect(own.over(next)).toBe(next)
  })

  test('is remembered by the status writer', async () => {
    const own = new OwnWrites()
    const written = at('9', { now: true })
    const client = { applyStatus: async () => written as never }
    await createStatusWriter({ client, own }).write({
      type: things,
      live: at('8'),
      status: { now: true },
    })
    expect(own.over(at('8'))).toBe(written)
  })
})

describe('meddling', () => {
  const before = thing('a', { resourceVersion: '8', finalizers: ['ours'] }, { status: { is: 1 } })
  const now = (changes: Partial<Thing>, metadata: Partial<Thing['metadata']> = {}) => ({
    ...before,
    ...changes,
    metadata: { ...before.metadata, resourceVersion: '9', ...metadata },
  })

  test.each([
    { is: 'another status', object: now({ status: { is: 2 } }), expected: true },
    { is: 'a finalizer that went', object: now({}, { finalizers: [] }), expected: true },
    { is: 'no label of theirs', object: now({}, { labels: { a: 'b' } }), expected: false },
    { is: 'no new spec', object: now({ spec: { a: 1 } }), expected: false },
  ])('is $is', ({ object, expected }) => {
    const judge = changedByOthers(new OwnWrites())
    expect(judge({ type: 'updated', object, previous: before })).toBe(expected)
  })

  test('is nothing that we wrote', () => {
    const own = new OwnWrites()
    const object = now({ status: { is: 2 } })
    own.note(object)
    expect(changedByOthers(own)({ type: 'updated', object, previous: before })).toBe(false)
  })
})
