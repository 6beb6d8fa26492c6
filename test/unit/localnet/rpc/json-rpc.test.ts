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
const call = (method: string, id?: number, params?: unknown) => ({
  ...{ jsonrpc: '2.0', method },
  ...(id !== undefined && { id }),
  ...(params !== undefined && { params }),
})
const error = (code: number, message: string, id: unknown = null, data?: unknown) => ({
  ...{ jsonrpc: '2.0', id },
  error: { code, message, ...(data !== undefined && { data }) },
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
      call('echo', 1, 'x'),
      error(-32600, 'parameters must be array or object', 1),
    ],
    ['an unknown method', call('getPizza', 7), error(-32601, 'method not found', 7, 'getPizza')],
    ['wrong parameters', call('refuse', 1), error(-32602, 'no', 1, { why: 'because' })],
    ['a fault of its own', call('break', 1), error(-32603, 'broken', 1)],
  ])('returns the code and text of Stellar RPC for %s', (_, body, expected) => {
    expect(respond(body)).toEqual(expected)
  })

  it('reads null parameters as none and returns null for undefined', () => {
    expect(respond(call('echo', 1, null))).toMatchObject({ result: {} })
    expect(respond(call('nothing', 1, null))).toEqual({ jsonrpc: '2.0', id: 1, result: null })
  })

  it('returns a batch in order, without notifications', () => {
    const batch = [call('echo', 1, { a: 1 }), call('echo'), call('nope', 2)]
    expect(respond(batch)).toMatchObject([
      { id: 1, result: { params: { a: 1 } } },
      { id: 2, error: { code: -32601 } },
    ])
    expect(respond([batch[1]])).toBeUndefined()
    expect(respond(batch[1])).toBeUndefined()
  })
})
