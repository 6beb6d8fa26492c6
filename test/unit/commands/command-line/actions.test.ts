import { describe, expect, test } from 'vitest'
import { chosenAction } from '../../../../src/commands/command-line/actions.ts'

const typed = (words: readonly string[], ...given: readonly string[]) => ({
  words,
  given: new Set(given),
})

describe('a command that needs no action', () => {
  const actions = { '': ['max', 'json'], status: ['json', 'at'] }

  test.each([
    { words: [], action: '' },
    { words: ['http://x'], action: '' },
    { words: ['toString'], action: '' },
    { words: ['status', 'x'], action: 'status' },
  ])('takes $words for the action "$action"', ({ words, action }) => {
    expect(chosenAction(actions, typed(words, 'json'))).toBe(action)
  })

  test('refuses a flag of the other one', () => {
    expect(() => chosenAction(actions, typed(['http://x'], 'at'))).toThrow('--at belongs to status')
    expect(() => chosenAction(actions, typed(['status'], 'max'))).toThrow(
      'status does not take --max',
    )
  })
})

test('a command of actions alone refuses any other word, and none', () => {
  const actions = { list: [], show: [] }
  expect(() => chosenAction(actions, typed(['shwo']))).toThrow("not 'shwo'. Did you mean show?")
  expect(() => chosenAction(actions, typed([]))).toThrow('expected list or show')
})
