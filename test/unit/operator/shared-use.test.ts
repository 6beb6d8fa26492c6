import { expect, test } from 'vitest'
import { SharedUse } from '../../../src/operator/shared-use.ts'

function things() {
  const made: string[] = []
  const closed: string[] = []
  const use = new SharedUse(async (key: string) => {
    made.push(key)
    if (key === 'broken') throw new Error('it cannot be made')
    return {
      key,
      [Symbol.asyncDispose]: async () => {
        closed.push(key)
      },
    }
  })
  return { use, made, closed }
}

test('users of the same share one, which is closed after the last of them', async () => {
  const { use, made, closed } = things()
  const [one, other] = await Promise.all([use.take('a', 'x'), use.take('b', 'x')])
  expect(one).toBe(other)
  expect(made).toEqual(['x'])
  await use.giveBack('a')
  expect(closed).toEqual([])
  await use.giveBack('b')
  expect(closed).toEqual(['x'])
})

test('a user who takes another one gives the first back', async () => {
  const { use, made, closed } = things()
  await use.take('a', 'x')
  await use.take('a', 'x')
  await use.take('a', 'y')
  expect(made).toEqual(['x', 'y'])
  expect(closed).toEqual(['x'])
})

test('what could not be made is tried again by the next', async () => {
  const { use, made } = things()
  await expect(use.take('a', 'broken')).rejects.toThrow('it cannot be made')
  await expect(use.take('a', 'broken')).rejects.toThrow('it cannot be made')
  expect(made).toEqual(['broken', 'broken'])
  await use.take('a', 'x')
  await use.giveBack('a')
})

test('everything is closed at the end, and giving back what nobody took is nothing', async () => {
  const { use, closed } = things()
  await use.take('a', 'x')
  await use.take('b', 'y')
  await use.giveBack('nobody')
  await use[Symbol.asyncDispose]()
  expect(closed.toSorted()).toEqual(['x', 'y'])
})
