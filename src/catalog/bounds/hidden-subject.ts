import { z } from 'zod'
import { addressKind, baseAddress } from '../../stellar/accounts/strkey.ts'

/**
 * Reads the text with which an administrator names what to hide: the id of a listing, or a payee's account, which
 * stands for all ids of a muxed one. Undefined for any other text.
 */
export function hiddenSubjectOf(text: string): string | undefined {
  if (z.uuid().safeParse(text).success) return text.toLowerCase()
  return addressKind(text) === undefined ? undefined : baseAddress(text)
}
