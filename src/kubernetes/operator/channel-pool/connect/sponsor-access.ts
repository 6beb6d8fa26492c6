import type { SponsorKeys } from '../../../../payments/channels/sponsor-keys.ts'
import { signerPlace } from '../../references/signer-place.ts'
import type { SponsorSource } from '../../references/sponsor-source.ts'
import { PoolBlocked } from './blockers.ts'
import {
  type ChannelSecretDeps,
  type ChannelSecretRequest,
  channelSecretFor,
} from './channel-secret.ts'
import type { OpenSigners } from './open-signers.ts'
import { openSponsor } from './open-sponsor.ts'
import type { SignerFiles } from './signer-files.ts'
import type { SponsorValues } from './sponsor-values.ts'

export interface SponsorAccessDeps extends ChannelSecretDeps {
  readonly signerFiles: SignerFiles
  readonly signers: OpenSigners
  /** The file with the token with which the operator logs in to Vault; undefined without one. */
  readonly vaultTokenFile?: string | undefined
  /** Namespaces whose pools may use what is the operator's own. @default none */
  readonly signerNamespaces?: readonly string[] | undefined
}

/**
 * Opens what signs for the sponsor. The Secret of its channels is there before any of them is created. Throws `PoolBlocked`, store errors
 * and KubeErrors.
 */
export async function accessSponsor(
  deps: SponsorAccessDeps,
  request: ChannelSecretRequest,
  values: SponsorValues,
): Promise<SponsorKeys> {
  const { pool, source, sponsor: address } = request
  const { uid } = pool.metadata
  const { vaultTokenFile: jwtFile } = deps
  requireAllowed(deps, pool.metadata.namespace, source)
  if (source.vault && jwtFile === undefined) {
    const message =
      'The operator has no token for Vault: set signers.vaultTokenAudience of its chart to the audience that the role asks for.'
    throw new PoolBlocked('SignerDenied', message)
  }
  const channelSecret = await channelSecretFor(deps, request)
  const place =
    values.kind === 'signer'
      ? signerPlace(source, {
          pathOf: await deps.signerFiles.write(uid, source, values.values),
          jwtFile: jwtFile ?? '',
        })
      : undefined
  return openSponsor(deps.signers, { uid, source, address, values, channelSecret, place })
}

/**
 * A seed, and the certificate of a service, are in the namespace of the pool. A library, a socket and the login to Vault are those of
 * the operator: whoever may create a pool could have it load any file, send its token anywhere, and sign with the key of another tenant.
 */
function requireAllowed(
  { signerNamespaces = [] }: SponsorAccessDeps,
  namespace: string,
  { pkcs11, vault, http }: SponsorSource,
): void {
  const what =
    (pkcs11 && 'load PKCS#11 libraries of the operator') ??
    (vault && 'use the login of the operator to Vault') ??
    (http?.socketPath !== undefined ? 'use sockets of the operator' : undefined)
  if (what === undefined || signerNamespaces.includes(namespace)) return
  const message = `Pools of namespace ${namespace} may not ${what}: add it to signers.namespaces of its chart, if all pools there may sign with every key that the operator reaches.`
  throw new PoolBlocked('SignerDenied', message)
}
