import { hasHidden } from '../../platform/core/text/hostile-text.ts'
import type { ListingContent, Rejection } from '../listing.ts'
import { isJsonObject, type JsonObject } from './json-values.ts'
import { quoted, reject } from './rejection.ts'

/** How a resource is called: what tells it from others at its URL. */
export type DeclaredInput = Pick<ListingContent, 'kind' | 'method' | 'toolName'>

const bodyMethods = ['POST', 'PUT', 'PATCH']
const methods = ['GET', 'HEAD', 'DELETE', ...bodyMethods]
const bodyTypes = ['json', 'form-data', 'text']
const transports = ['streamable-http', 'sse']

/** The limit of the MCP specification. */
const MAX_TOOL_NAME_LENGTH = 128

/**
 * Reads `info.input`, and checks what the bazaar extension demands of it: the seller's own schema may leave it out.
 * Stricter than the stock client in that an HTTP resource must name its method.
 */
export function readInput(info: JsonObject): ({ readonly ok: true } & DeclaredInput) | Rejection {
  const { input } = info
  if (!isJsonObject(input)) return unsupported('info.input is missing or not an object')
  if (input['type'] === 'http') return readHttpInput(input)
  if (input['type'] === 'mcp') return readMcpInput(input)
  return unsupported(`info.input.type is ${quoted(input['type'])}, expected "http" or "mcp"`)
}

function readHttpInput({ method, bodyType }: JsonObject) {
  if (typeof method !== 'string' || !methods.includes(method)) {
    return unsupported(`info.input.method is ${quoted(method)}, expected ${oneOf(methods)}`)
  }
  if (bodyType === undefined) return { ok: true, kind: 'http', method } as const
  if (!isOneOf(bodyTypes, bodyType)) {
    return unsupported(`info.input.bodyType is ${quoted(bodyType)}, expected ${oneOf(bodyTypes)}`)
  }
  return bodyMethods.includes(method)
    ? ({ ok: true, kind: 'http', method } as const)
    : unsupported(`info.input.bodyType is given, but a ${method} request has no body`)
}

function readMcpInput({ toolName, tool, inputSchema, transport }: JsonObject) {
  if (typeof toolName !== 'string' || toolName === '') {
    const hint = typeof tool === 'string' ? '; drafts of the extension called it "tool"' : ''
    return unsupported(`info.input.toolName is ${quoted(toolName)}, expected a name${hint}`)
  }
  if (
    toolName.length > MAX_TOOL_NAME_LENGTH ||
    hasHidden(toolName) ||
    toolName.trim() !== toolName
  ) {
    const limit = `${MAX_TOOL_NAME_LENGTH} characters`
    return unsupported(`info.input.toolName is longer than ${limit}, or holds invisible ones`)
  }
  if (!isJsonObject(inputSchema)) return unsupported('info.input.inputSchema is not an object')
  if (transport !== undefined && !isOneOf(transports, transport)) {
    return unsupported(
      `info.input.transport is ${quoted(transport)}, expected ${oneOf(transports)}`,
    )
  }
  return { ok: true, kind: 'mcp', toolName } as const
}

const isOneOf = (values: readonly string[], value: unknown): boolean =>
  values.some((allowed) => allowed === value)

const oneOf = (values: readonly string[]): string => values.join(', ')

const unsupported = (problem: string): Rejection =>
  reject('bazaar_info_unsupported', `The declaration's ${problem}.`)
