import { z } from 'zod'
import { invalidParams } from './rpc-fault.ts'

const formats = ['base64', 'json'] as const
export type XdrFormat = (typeof formats)[number]

/** The type of ledger sequences and limits in Stellar RPC. */
export const uint32 = z.int().min(0).max(0xffff_ffff)

/** Stellar RPC treats the empty string as base64. */
export const xdrFormat = z.string().nullish()

/**
 * Reads named parameters; missing parameters are an empty object, unknown ones are ignored.
 * Throws `invalid parameters` for a list or a member of the wrong type.
 */
export function readParams<T extends z.ZodObject>(schema: T, params: unknown): z.infer<T> {
  const parsed = schema.safeParse(params ?? {})
  if (parsed.success) return parsed.data
  throw invalidParams('invalid parameters', z.prettifyError(parsed.error))
}

/** Throws Stellar RPC's error when the format is neither base64 nor json. */
export function readFormat(format: string | null | undefined): XdrFormat {
  if (!format) return 'base64'
  const known = formats.find((one) => one === format)
  if (known) return known
  throw invalidParams(`got '${format}': expected ${formats.join(', ')} for optional 'xdrFormat'`)
}
