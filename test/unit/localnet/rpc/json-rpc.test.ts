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

const answer = (body: unknown): unknown => {
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
  ])('answers %s with the code and text of Stellar RPC', (_, body, expected) => {
    expect(answer(body)).toEqual(expected)
  })

  it('names the method it does not know', () => {
    const reply = answer({ jsonrpc: '2.0', id: 7, method: 'getPizza' })
    expect(reply).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32601, message: 'method not found', data: 'getPizza' },
    })
  })

  it('passes on what a method says about its parameters', () => {
    expect(answer({ jsonrpc: '2.0', id: 1, method: 'refuse' })).toMatchObject({
      error: { code: -32602, message: 'no', data: { why: 'because' } },
    })
  })

  it('takes null parameters for none and answers null for nothing', () => {
    const request = { jsonrpc: '2.0', id: 1, params: null }
    expect(answer({ ...request, method: 'echo' })).toMatchObject({ result: {} })
    expect(answer({ ...request, method: 'nothing' })).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: null,
    })
  })

  it('answers a batch in order and leaves notifications out', () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'echo', params: { a: 1 } },
      { jsonrpc: '2.0', method: 'echo' },
      { jsonrpc: '2.0', id: 2, method: 'nope' },
    ]
    expect(answer(batch)).toMatchObject([
      { id: 1, result: { params: { a: 1 } } },
      { id: 2, error: { code: -32601 } },
    ])
    expect(answer([batch[1]])).toBeUndefined()
    expect(answer(batch[1])).toBeUndefined()
  })
})
