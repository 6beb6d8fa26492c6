/** The error codes of JSON-RPC 2.0 (section 5.1). */
const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const

type RpcCodeName = keyof typeof rpcCodes

/** Answered as the `error` member of a JSON-RPC response. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault'
  readonly code: number
  readonly data: unknown

  constructor(code: RpcCodeName, message: string, data?: unknown) {
    super(message)
    this.code = rpcCodes[code]
    this.data = data
  }
}

export const invalidParams = (message: string, data?: unknown): RpcFault =>
  new RpcFault('invalidParams', message, data)
