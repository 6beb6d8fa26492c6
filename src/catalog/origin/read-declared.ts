import { readDeclaration } from '../declaration/read-declaration.ts'
import type { RawDeclaration, ReadDeclaration } from '../listing.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'

/** Codes that say more of the load of this process than of the declaration. */
const transientCodes: readonly string[] = ['bazaar_catalog_unavailable', 'bazaar_schema_timeout']

export const isTransientCode = (code: string): boolean => transientCodes.includes(code)

/** Reads the declaration of a 402 response; once more when a busy process may be at fault, since no payment waits. */
export async function readDeclared(
  raw: RawDeclaration,
  payee: Parameters<typeof readDeclaration>[1],
  validator: DeclarationValidator,
): Promise<ReadDeclaration> {
  const read = await readDeclaration(raw, payee, validator)
  return read.ok || !isTransientCode(read.code) ? read : readDeclaration(raw, payee, validator)
}
