import { expect, test } from 'vitest'
import { FairShare } from '../../../../../../src/kubernetes/operator/facilitator/plan/fair-share.ts'

const SECOND = 1_000

test('a namespace never holds the last place, and nobody holds one for more than ten minutes', () => {
  const share = new FairShare(3)
  expect(['a1', 'a2', 'a3'].map((uid) => share.take(uid, 'a', 0))).toEqual([true, true, false])
  expect(share.take('b1', 'b', 0)).toBe(true)
  expect(share.take('c1', 'c', 599 * SECOND)).toBe(false)
  expect(share.take('c1', 'c', 600 * SECOND)).toBe(true)
})

test('a free place goes to the namespace that holds the fewest, then to the one that waits longest', () => {
  const share = new FairShare(2)
  share.take('a1', 'a', 0)
  share.take('b1', 'b', 0)
  expect(share.take('a2', 'a', 1)).toBe(false)
  expect(share.take('c1', 'c', 2)).toBe(false)
  expect(share.take('d1', 'd', 3)).toBe(false)
  share.release('b1')
  expect(share.take('a2', 'a', 4)).toBe(false)
  expect(share.take('d1', 'd', 4)).toBe(false)
  expect(share.take('c1', 'c', 5)).toBe(true)
})

test('a namespace that does not ask any more keeps no place free', () => {
  const share = new FairShare(1)
  share.take('a1', 'a', 0)
  share.take('b1', 'b', 0)
  share.release('a1')
  expect(share.take('c1', 'c', 60 * SECOND)).toBe(false)
  expect(share.take('c1', 'c', 61 * SECOND)).toBe(true)
})

test('the free places are for those with the fewest, then for those that wait longest, up to the most of a namespace', () => {
  const share = new FairShare(4)
  const uids = ['a1', 'b1', 'c1', 'c2']
  for (const uid of uids) expect(share.take(uid, uid[0] ?? '', 0)).toBe(true)
  const waiting = ['a2', 'a3', 'a4', 'd1', 'e1'].map((uid, at) => {
    expect(share.take(uid, uid[0] ?? '', at)).toBe(false)
    return { uid, namespace: uid[0] ?? '' }
  })
  const next = () => share.next(waiting).map(({ uid }) => uid)
  expect(next()).toEqual([])
  share.release('c1')
  expect(next()).toEqual(['d1'])
  for (const uid of uids) share.release(uid)
  expect(next()).toEqual(['a2', 'd1', 'e1', 'a3'])
  expect(share.next(waiting.slice(0, 3))).toHaveLength(3)
  const alone = ['f1', 'f2', 'f3', 'f4'].map((uid) => ({ uid, namespace: 'f' }))
  expect(share.next(alone)).toHaveLength(3)
})
