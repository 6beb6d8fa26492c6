import { z } from 'zod'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import type { VaultAnswer } from './vault-api.ts'

/** A token of Vault, kept in memory only. */
export interface VaultGrant {
  readonly token: string
  /** How long it is valid from the answer that granted it. Undefined: no end is known. */
  readonly leaseMs: number | undefined
  readonly renewable: boolean
}

const Auth = z.object({
  auth: z.object({
    client_token: z.string().min(1),
    lease_duration: z.number().nonnegative(),
    renewable: z.boolean(),
  }),
})

/** Reads the answer to a login or a renewal. */
export function readGrant({ body }: VaultAnswer): VaultGrant {
  const parsed = Auth.safeParse(body)
  if (!parsed.success) {
    throw new SignerError('invalid', 'Vault: the answer to a login is not as documented')
  }
  const { client_token: token, lease_duration: seconds, renewable } = parsed.data.auth
  // Zero is how Vault writes that a token never ends.
  return { token, leaseMs: seconds > 0 ? seconds * 1_000 : undefined, renewable }
}
