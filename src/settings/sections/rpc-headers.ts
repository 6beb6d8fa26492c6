import { z } from 'zod'
import { parseRpcHeaders, RPC_HEADERS_FORM, type RpcHeader } from '../../stellar/rpc/rpc-headers.ts'
import type { Kind } from '../rows/row.ts'

/** The message repeats nothing of the value, which is a secret. */
export const rpcHeaders: Kind<readonly RpcHeader[]> = {
  schema: z
    .string()
    .default('')
    .transform((text, context) => {
      const headers = parseRpcHeaders(text)
      if (headers) return headers
      context.addIssue({ code: 'custom', message: `must be ${RPC_HEADERS_FORM}` })
      return z.NEVER
    }),
  fallback: 'none',
  range: 'lines of `ORIGIN NAME: VALUE`',
}
