/** Sponsors whose key lies in a token or a sidecar, as the settings and the files of `svc rotate` name them. */
import { randomBytes } from 'node:crypto'
import { authoritySigner } from '../../src/payments/channels/derive.ts'
import type { Pkcs11Place } from '../../src/signing/signer-place.ts'
import { secretOfSeed } from '../../src/stellar/accounts/signer.ts'
import { network, type Sponsor } from './sponsors.ts'

type Variables = Readonly<Record<string, string>>

export interface SponsorElsewhere extends Sponsor {
  /** Its settings by name, without the prefix of the network. */
  readonly settings: Variables
}

/** Its `secret` is that of its channels. @param signer a URI of `SPONSOR_SIGNER` */
export function sponsorElsewhere(signer: string, address: string): SponsorElsewhere {
  const secret = secretOfSeed(randomBytes(32))
  return {
    secret,
    address,
    authority: authoritySigner(secret, network).address,
    settings: {
      SPONSOR_SIGNER: signer,
      SPONSOR_ADDRESS: address,
      CHANNEL_SECRET: secret,
      // Longer than the start of a library takes on a busy machine.
      SIGNER_TIMEOUT_MS: '10000',
    },
  }
}

export const uriOf = ({ token, key, modulePath, pinFile }: Pkcs11Place): string =>
  `pkcs11:token=${encodeURIComponent(token)};object=${key}?module-path=${modulePath}&pin-source=file:${pinFile}`

/** As lines of a file. */
export const linesOfSettings = (settings: Variables): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

/** As variables of a service. */
export const variablesOf = ({ settings }: SponsorElsewhere) => ({
  TESTNET_SPONSOR_SECRET: undefined,
  ...Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`TESTNET_${name}`, value]),
  ),
})
