import { describe, expect, test } from 'vitest'
import { KnownPaths } from '../../../src/http/known-paths.ts'
import { errorRefusal } from '../../../src/http/refusal.ts'

describe('the known paths', () => {
  const paths = new KnownPaths()
  paths.add('/verify', ['POST'], errorRefusal)
  paths.add('/items/:id', ['GET'], undefined)
  paths.add('/items/:id', ['HEAD'], undefined)
  paths.add('/ui/*', ['GET'], undefined)
  paths.add('/v1.0/x', ['GET'], undefined)

  test.each<{ url: string; methods: string[] | undefined }>([
    { url: '/verify', methods: ['POST'] },
    { url: '//verify/?a=/b', methods: ['POST'] },
    { url: '/verify/x', methods: undefined },
    { url: '/items/1', methods: ['GET', 'HEAD'] },
    { url: '/items/1/versions', methods: undefined },
    { url: '/items/', methods: undefined },
    { url: '/ui/a/b', methods: ['GET'] },
    { url: '/v1.0/x', methods: ['GET'] },
    { url: '/v1x0/x', methods: undefined },
    { url: '/', methods: undefined },
  ])('say of $url: $methods', ({ url, methods }) => {
    expect(paths.find(url)?.methods).toEqual(methods)
  })

  test('remember how a path words its refusals', () => {
    expect(paths.find('/verify')?.refusal).toBe(errorRefusal)
    expect(paths.find('/items/1')?.refusal).toBeUndefined()
  })
})
