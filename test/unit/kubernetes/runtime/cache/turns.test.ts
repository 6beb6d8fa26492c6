import { expect, test } from 'vitest'
import { Turns } from '../../../../../src/kubernetes/runtime/cache/turns.ts'

test('begins each work after the one before has ended, even badly', async () => {
  const turns = new Turns()
  const begun: string[] = []
  const first = Promise.withResolvers<string>()
  const one = turns.run(() => {
    begun.push('one')
    return first.promise
  })
  const two = turns.run(async () => {
    begun.push('two')
    return 2
  })
  await Promise.resolve()
  await Promise.resolve()
  expect(begun).toEqual(['one'])
  first.reject(new Error('one fails'))
  await expect(one).rejects.toThrow('one fails')
  expect(await two).toBe(2)
  expect(begun).toEqual(['one', 'two'])
})
