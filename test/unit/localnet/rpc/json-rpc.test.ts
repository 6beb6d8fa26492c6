import { describe, expect, it } from 'vitest'
import { answerJsonRpc, type RpcMethods } from '../../../../src/localnet/rpc/json-rpc.ts'
import { RpcFault } from '../../../../src/localnet/rpc/rpc-fault.ts'

const methods: RpcMethods = new Map<string, (params: unknown) => unknown>([
  ['echo', (params) => ({ params })],
  ['nothing', () => undefined],
  [
    'refuse',
    () => {
      throw new RpcFault('invalidParams', 'no', { why: 'because' })
    },
  ],
  [
    'break',
    () => {
      throw new Error('broken')
    },
  ],
])

const respond = (body: unknown): unknown => {
  const reply = answerJsonRpc(typeof body === 'string' ? body : JSON.stringify(body), methods)
  return reply === undefined ? undefined : JSON.parse(reply)
}
const error = (code: number, message: string, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

describe('answerJsonRpc', () => {
  it.each([
    ['not JSON', '{', error(-32700, 'invalid request value')],
    ['an empty batch', [], error(-32600, 'empty request batch')],
    ['a missing version', { id: 1, method: 'echo' }, error(-32600, 'invalid version marker', 1)],
    ['no object', 5, error(-32600, 'invalid version marker')],
    ['no method', { jsonrpc: '2.0', id: 'a' }, error(-32600, 'empty method name', 'a')],
    [
      'text as parameters',
      { jsonrpc: '2.0', id: 1, method: 'echo', params: 'x' },
      error(-32600, 'parameters must be array or object', 1),
    ],
    ['a fault of its own', { jsonrpc: '2.0', id: 1, method: 'break' }, error(-32603, 'broken', 1)],
  ])('returns the code and text of Stellar RPC for %s', (_, body, expected) => {
    expect(respond(body)).toEqual(expected)
  })

  it('names an unknown method', () => {
    const reply = respond({ jsonrpc: '2.0', id: 7, method: 'getPizza' })
    expect(reply).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32601, message: 'method not found', data: 'getPizza' },
    })
  })

  it('returns the message of a method about its parameters', () => {
    expect(respond({ jsonrpc: '2.0', id: 1, method: 'refuse' })).toMatchObject({
      error: { code: -32602, message: 'no', data: { why: 'because' } },
    })
  })

  it('reads null parameters as none and returns null for undefined', () => {
    const request = { jsonrpc: '2.0', id: 1, params: null }
    expect(respond({ ...request, method: 'echo' })).toMatchObject({ result: {} })
    expect(respond({ ...request, method: 'nothing' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: null,
    })
  })

  it('returns a batch in order, without notifications', () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'echo', params: { a: 1 } },
      { jsonrpc: '2.0', method: 'echo' },
      { jsonrpc: '2.0', id: 2, method: 'nope' },
    ]
    expect(respond(batch)).toMatchObject([
      { id: 1, result: { params: { a: 1 } } },
      { id: 2, error: { code: -32601 } },
    ])
    expect(respond([batch[1]])).toBeUndefined()
    expect(respond(batch[1])).toBeUndefined()
  })
})
