import { afterEach, describe, expect, test } from 'vitest'
import { instrument } from '../../../tools/mutate/mutants.ts'

afterEach(() => {
  Reflect.deleteProperty(globalThis, '__isActive')
})

/** What `expression` gives with each of its mutants active; the first one is without any. */
function outcomesOf(declaration: string, expression: string): readonly unknown[] {
  const { mutants, code } = instrument('planted.ts', declaration, 1)
  return [0, ...mutants.map(({ id }) => id)].map((active) => {
    globalThis.__isActive = (id) => id === active
    return new Function(`${code}\nreturn ${expression}`)()
  })
}

describe('instrument', () => {
  test('turns each condition around, of nested ones too', () => {
    const code = 'const f = (a, b) => { if (a > 1) return "big"; return b ? "b" : "none" }'

    expect(outcomesOf(code, '[f(2, true), f(0, true), f(0, false)]')).toEqual([
      ['big', 'b', 'none'],
      ['b', 'big', 'big'],
      ['big', 'none', 'b'],
    ])
  })

  test('leaves out the right side of a logical operator', () => {
    const code = 'const f = (a, b, c) => a && (b || c)'

    expect(outcomesOf(code, '[f(1, 0, 1), f(1, 0, 0)]')).toEqual([
      [1, 0],
      [1, 1],
      [0, 0],
    ])
  })

  test('leaves out a condition of a query', () => {
    const code = `const query = { list: [], where(what) { return { ...query, list: [...this.list, what] } } }`

    expect(outcomesOf(code, 'query.where("a").where("b").list')).toEqual([['a', 'b']])
    expect(outcomesOf(`${code}\nconst made = query.where("a").where("b").list`, 'made')).toEqual([
      ['a', 'b'],
      ['a'],
      ['b'],
    ])
  })

  test('leaves out a check of a list, and a condition of and([...])', () => {
    const code = 'const [a, b] = [1, 2]\nconst list = [a, b]\nconst eb = { and: (all) => all }'

    expect(outcomesOf(`${code}\nconst all = eb.and([a, b])`, '[list, all]')).toEqual([
      [
        [1, 2],
        [1, 2],
      ],
      [[2], [1, 2]],
      [[1], [1, 2]],
      [[1, 2], [2]],
      [[1, 2], [1]],
    ])
  })

  test('says what it changes, and where', () => {
    expect(instrument('planted.ts', 'f(a\n  ? b\n  : c)', 7).mutants).toEqual([
      { id: 7, file: 'planted.ts', line: 1, kind: 'negated', code: 'a', occurrence: 1 },
    ])
  })
})
