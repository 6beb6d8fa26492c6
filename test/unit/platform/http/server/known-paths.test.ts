import { describe, expect, test } from 'vitest'
import { errorRefusal } from '../../../../../src/platform/http/refusals/refusal.ts'
import { KnownPaths } from '../../../../../src/platform/http/server/known-paths.ts'

describe('the known paths', () => {
  const paths = new KnownPaths()
  paths.add('/verify', ['POST'], errorRefusal)
  paths.add('/usage', ['HEAD'], undefined)
  paths.add('/usage', ['GET'], undefined)
  paths.add('/v1.0/x', ['GET'], undefined)
  paths.add('/items', ['GET'], undefined)
  paths.add('/items/:id', ['PUT'], undefined)
  paths.add('/items/:id/parts', ['POST'], undefined)

  test.each<{ url: string; methods: string[] | undefined }>([
    { url: '/verify', methods: ['POST'] },
    { url: '//verify/?a=/b', methods: ['POST'] },
    { url: '/verify/x', methods: undefined },
    { url: '/usage', methods: ['GET', 'HEAD'] },
    { url: '/v1.0/x', methods: ['GET'] },
    { url: '/v1x0/x', methods: undefined },
    { url: '/', methods: undefined },
    { url: '/items/', methods: ['GET'] },
    { url: '/items/a%2Fb?c', methods: ['PUT'] },
    { url: '/items//a/', methods: ['PUT'] },
    { url: '/items/a/parts', methods: ['POST'] },
    { url: '/items/a/others', methods: undefined },
    { url: '/items/:id', methods: ['PUT'] },
  ])('have for $url the methods $methods', ({ url, methods }) => {
    expect(paths.find(url)?.methods).toEqual(methods)
  })

  test('keep the refusal of a path', () => {
    expect(paths.find('/verify')?.refusal).toBe(errorRefusal)
    expect(paths.find('/usage')?.refusal).toBeUndefined()
  })
})
