import { z } from 'zod'
import { invalidParams } from './rpc-fault.ts'

const formats = ['base64', 'json'] as const
export type XdrFormat = (typeof formats)[number]

/** A whole number that fits 32 bits, as Stellar RPC reads ledger sequences and limits. */
export const uint32 = z.int().min(0).max(0xffff_ffff)

/** The member that chooses how XDR is answered; Stellar RPC takes the empty text for base64. */
export const xdrFormat = z.string().nullish()

/**
 * Reads named parameters; absent ones count as an empty object and unknown ones are passed over.
 * Throws `invalid parameters` for a list or a member of the wrong type.
 */
export function readParams<T extends z.ZodObject>(schema: T, params: unknown): z.infer<T> {
  const parsed = schema.safeParse(params ?? {})
  if (parsed.success) return parsed.data
  throw invalidParams('invalid parameters', z.prettifyError(parsed.error))
}

/** Throws in the words of Stellar RPC when the format is neither base64 nor json. */
export function readFormat(format: string | null | undefined): XdrFormat {
  if (!format) return 'base64'
  const known = formats.find((one) => one === format)
  if (known) return known
  throw invalidParams(`got '${format}': expected ${formats.join(', ')} for optional 'xdrFormat'`)
}
