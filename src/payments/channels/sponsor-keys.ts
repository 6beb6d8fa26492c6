import type { NetworkId } from '../../platform/core/caip2.ts'
import type { AnySigner, EnvelopeSigner } from '../../stellar/accounts/envelope-signer.ts'
import { type Signer, signerFromSecret } from '../../stellar/accounts/signer.ts'
import { authoritySigner, channelSigner } from './derive.ts'

/** The keys of a sponsor that are derived: those of its channels and of its settlement authority. */
export interface DerivedKeys {
  /** Of the sponsor, `G...`. */
  readonly address: string
  channel(network: NetworkId, index: number): Signer
  /** The settlement authority of the scheme `upto`. */
  authority(network: NetworkId): Signer
}

/** All keys of a sponsor. */
export interface SponsorKeys extends DerivedKeys {
  readonly signer: AnySigner
}

/** Another sponsor, for which buyers may have signed: its address and its settlement authority. */
export type OtherSponsor = Pick<DerivedKeys, 'address' | 'authority'>

/** What names a sponsor: its seed (`S...`), or its address and the secret of its channels. */
export interface SponsorSource {
  readonly secret?: string | undefined
  readonly address?: string | undefined
  readonly channelSecret?: string | undefined
}

/** @param channelSecret `S...`: what channels and authority are derived from */
const derivedFrom = (address: string, channelSecret: string): DerivedKeys => ({
  address,
  channel: (network, index) => channelSigner(channelSecret, network, index),
  authority: (network) => authoritySigner(channelSecret, network),
})

/** With a seed, everything is derived from it. @param secret `S...` */
export function keysOfSeed(secret: string): SponsorKeys {
  const signer = signerFromSecret(secret)
  return { ...derivedFrom(signer.address, secret), signer }
}

/** The sponsor's key lies elsewhere. @param channelSecret `S...` */
export const keysElsewhere = (signer: EnvelopeSigner, channelSecret: string): SponsorKeys => ({
  ...derivedFrom(signer.address, channelSecret),
  signer,
})

/** Undefined when nothing names a sponsor. */
function derivedKeys(source: SponsorSource): DerivedKeys | undefined {
  const { secret, address, channelSecret } = source
  if (secret !== undefined) return derivedFrom(signerFromSecret(secret).address, secret)
  if (address === undefined || channelSecret === undefined) return undefined
  return derivedFrom(address, channelSecret)
}

/** The settings that name the sponsors of a network. */
export interface SponsorMembers {
  readonly sponsorSecret?: string | undefined
  readonly sponsorAddress?: string | undefined
  readonly channelSecret?: string | undefined
  readonly previousSponsorSecret?: string | undefined
  readonly previousSponsorAddress?: string | undefined
  readonly previousChannelSecret?: string | undefined
  readonly nextSponsorSecret?: string | undefined
  readonly nextSponsorAddress?: string | undefined
  readonly nextChannelSecret?: string | undefined
}

/** The derived keys of the sponsors of a network. Throws when no setting names the present one. */
export function sponsorsOf(members: SponsorMembers) {
  const keys = derivedKeys({
    secret: members.sponsorSecret,
    address: members.sponsorAddress,
    channelSecret: members.channelSecret,
  })
  if (!keys) throw new Error('no setting names the sponsor')
  return {
    keys,
    previousSponsor: derivedKeys({
      secret: members.previousSponsorSecret,
      address: members.previousSponsorAddress,
      channelSecret: members.previousChannelSecret,
    }),
    nextSponsor: derivedKeys({
      secret: members.nextSponsorSecret,
      address: members.nextSponsorAddress,
      channelSecret: members.nextChannelSecret,
    }),
  }
}
