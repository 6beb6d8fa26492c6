import { describe, expect, test } from 'vitest'
import {
  canonicalUrl,
  mcpToolUrl,
  originOf,
  readMcpToolUrl,
} from '../../../../src/platform/core/mcp-tool-url.ts'

describe('the URL of a tool', () => {
  test.each(['forecast', 'a/b.c-d_e', 'with space#and?more%', 'Köln'])(
    'keeps the name %s',
    (name) => {
      const url = mcpToolUrl('https://api.example/mcp?key=1', name)
      expect(readMcpToolUrl(url)).toEqual({
        kind: 'http',
        server: new URL('https://api.example/mcp?key=1'),
        tool: name,
      })
    },
  )

  test.each([
    ['mcp+https://API.example:443/mcp#t', 'mcp+https://api.example'],
    ['mcp+http://127.0.0.1:4031/mcp#t', 'mcp+http://127.0.0.1:4031'],
    ['mcp+http://[::1]:1/#t', 'mcp+http://[::1]:1'],
    ['mcp+stdio://My_server.1#t', 'mcp+stdio://My_server.1'],
    ['https://api.example/a?b', 'https://api.example'],
  ])('%s leads to %s', (url, origin) => {
    expect(originOf(url)).toBe(origin)
  })

  test.each([
    'https://api.example/mcp#t',
    'mcp+https://api.example/mcp',
    'mcp+https://api.example/mcp#',
    'mcp+https://api.example/mcp#%zz',
    'mcp+https://me:secret@api.example/mcp#t',
    'mcp+http://api.example/mcp#t',
    'mcp+http://127.0.0.1.evil.example/mcp#t',
    'mcp+stdio://name/path#t',
    'mcp+stdio://a$b#t',
    'mcp+ftp://api.example#t',
    'mcp+',
  ])('%s is none', (text) => {
    expect(readMcpToolUrl(text)).toBeUndefined()
  })
})

test.each([
  ['HTTPS://API.example:443', 'https://api.example/'],
  ['http://api.example:80/a b?q=é#part', 'http://api.example/a%20b?q=%C3%A9'],
  ['https://api.example/%7Ea?b=1&a=2', 'https://api.example/%7Ea?b=1&a=2'],
  ['mcp+HTTPS://API.example:443#Köln', 'mcp+https://api.example/#K%C3%B6ln'],
  ['mcp+http://127.0.0.1:80/mcp#%66orecast', 'mcp+http://127.0.0.1/mcp#forecast'],
  ['mcp+stdio://My_server.1#t', 'mcp+stdio://My_server.1#t'],
])('%s is the same call as %s', (url, same) => {
  expect(canonicalUrl(url)).toBe(same)
  expect(canonicalUrl(same)).toBe(same)
})
