import { expect, test } from 'vitest'
import { SharedResources } from '../../../../../src/kubernetes/operator/store-access/shared-resources.ts'

const user = (uid: string, namespace = 'shop') => ({ uid, namespace })

function sharedResources() {
  const opened: string[] = []
  const closed: string[] = []
  const shared = new SharedResources(async (key: string) => {
    opened.push(key)
    if (key === 'broken') throw new Error('it cannot be opened')
    return {
      key,
      [Symbol.asyncDispose]: async () => {
        closed.push(key)
      },
    }
  })
  return { shared, opened, closed }
}

test('users of one key share a resource, which is closed after the last user', async () => {
  const { shared, opened, closed } = sharedResources()
  const [one, other] = await Promise.all([
    shared.acquire(user('a'), 'x'),
    shared.acquire(user('b'), 'x'),
  ])
  expect(one).toBe(other)
  expect(opened).toEqual(['x'])
  await shared.release('a')
  expect(closed).toEqual([])
  await shared.release('b')
  expect(closed).toEqual(['x'])
})

test('users of two namespaces share none, whatever they name', async () => {
  const { shared, opened, closed } = sharedResources()
  const one = await shared.acquire(user('a', 'one'), 'x')
  expect(await shared.acquire(user('b', 'two'), 'x')).not.toBe(one)
  expect(opened).toEqual(['x', 'x'])
  await shared.release('a')
  expect(closed).toEqual(['x'])
})

test('acquiring another key releases the first', async () => {
  const { shared, opened, closed } = sharedResources()
  await shared.acquire(user('a'), 'x')
  await shared.acquire(user('a'), 'x')
  await shared.acquire(user('a'), 'y')
  expect(opened).toEqual(['x', 'y'])
  expect(closed).toEqual(['x'])
})

test('a resource that could not be opened is tried again', async () => {
  const { shared, opened } = sharedResources()
  await expect(shared.acquire(user('a'), 'broken')).rejects.toThrow('it cannot be opened')
  await expect(shared.acquire(user('a'), 'broken')).rejects.toThrow('it cannot be opened')
  expect(opened).toEqual(['broken', 'broken'])
  await shared.acquire(user('a'), 'x')
  await shared.release('a')
})

test('disposal closes everything, and releasing an unknown user does nothing', async () => {
  const { shared, closed } = sharedResources()
  await shared.acquire(user('a'), 'x')
  await shared.acquire(user('b'), 'y')
  await shared.release('unknown')
  await shared[Symbol.asyncDispose]()
  expect(closed.toSorted()).toEqual(['x', 'y'])
})
