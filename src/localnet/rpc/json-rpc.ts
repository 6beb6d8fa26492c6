import { messageOf } from '../../platform/core/text/error-message.ts'
import { RpcFault } from './rpc-fault.ts'

export type RpcMethod = (params: unknown) => unknown
export type RpcMethods = ReadonlyMap<string, RpcMethod>

interface Reply {
  readonly jsonrpc: '2.0'
  readonly id: string | number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/**
 * Answers a JSON-RPC 2.0 request or batch, with the error texts of Stellar RPC. Undefined when all
 * requests were notifications.
 */
export function answerJsonRpc(body: string, methods: RpcMethods): string | undefined {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return JSON.stringify(refused(null, new RpcFault('parseError', 'invalid request value')))
  }
  if (!Array.isArray(message)) return toText(answerOne(message, methods))
  if (message.length === 0) {
    return toText(refused(null, new RpcFault('invalidRequest', 'empty request batch')))
  }
  const replies = message
    .map((one) => answerOne(one, methods))
    .filter((reply) => reply !== undefined)
  return replies.length === 0 ? undefined : JSON.stringify(replies)
}

const toText = (reply: Reply | undefined): string | undefined =>
  reply === undefined ? undefined : JSON.stringify(reply)

function answerOne(message: unknown, methods: RpcMethods): Reply | undefined {
  const request = asObject(message)
  const id = readId(request['id'])
  const malformed = requestProblem(request)
  if (malformed) return refused(id ?? null, new RpcFault('invalidRequest', malformed))
  const method = String(request['method'])
  const reply = call(method, request['params'], id ?? null, methods)
  return id === undefined ? undefined : reply
}

function call(
  name: string,
  params: unknown,
  id: string | number | null,
  methods: RpcMethods,
): Reply {
  const method = methods.get(name)
  if (!method) return refused(id, new RpcFault('methodNotFound', 'method not found', name))
  try {
    return { jsonrpc: '2.0', id, result: method(params ?? undefined) ?? null }
  } catch (error) {
    if (error instanceof RpcFault) return refused(id, error)
    const message = messageOf(error)
    return refused(id, new RpcFault('internalError', message))
  }
}

function requestProblem(request: Record<string, unknown>): string | undefined {
  if (request['jsonrpc'] !== '2.0') return 'invalid version marker'
  if (typeof request['method'] !== 'string' || request['method'] === '') return 'empty method name'
  const params = request['params']
  if (params !== undefined && typeof params !== 'object')
    return 'parameters must be array or object'
  return undefined
}

/** Undefined marks a notification; an id of `null` is answered with `null`. */
function readId(id: unknown): string | number | null | undefined {
  if (id === undefined) return undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

function refused(id: string | number | null, fault: RpcFault): Reply {
  const { code, message, data } = fault
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }
}
