import { variablePrefixes } from '../../../../platform/core/caip2.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import type { SecretKey } from '../../../crd/fields/fields.ts'
import { type PodSponsors, podSponsors } from '../../references/pod-sponsors.ts'
import { signerPlace, signerUri } from '../../references/signer-place.ts'
import {
  channelSecretOf,
  type SponsorSource,
  signerFiles,
} from '../../references/sponsor-source.ts'
import { type PodToken, SECRETS_PATH, type SecretFile } from './secret-file.ts'

type Network = ChannelPool['spec']['network']

/** Before the name of a variable: of the sponsor that pods serve, of the next one, and of the one before. */
const prefixes = { current: '', next: 'NEXT_', previous: 'PREVIOUS_' } as const
type Role = keyof typeof prefixes
const roles = Object.keys(prefixes) as readonly Role[]

const fileOf = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')

const keyVariables = ['SPONSOR_SECRET', 'CHANNEL_SECRET'] as const
type KeyVariable = (typeof keyVariables)[number]

const nameOf = (network: Network, role: Role, variable: string): string =>
  `${variablePrefixes[network]}${prefixes[role]}${variable}`

/** The names of all files of a network from which pods derive keys of channels: seeds, and Secrets of channels. */
export const keyFileNames = (network: Network, only: readonly Role[] = roles): readonly string[] =>
  only.flatMap((role) => keyVariables.map((variable) => fileOf(nameOf(network, role, variable))))

/** The names that one pod never has together for the sponsor that it serves. */
export const servedFileNames = (network: Network): readonly string[] =>
  keyFileNames(network, ['current'])

const sponsorsOf = ({ spec }: Facilitator, pool: ChannelPool): PodSponsors => {
  const settings = spec.networks.find(({ channelPool }) => channelPool === pool.metadata.name)
  return podSponsors(pool, settings?.upto !== undefined)
}

/** The file from which a pod derives the keys of the channels of this sponsor, and of its authority. */
function keyFile(pool: ChannelPool, role: Role, source: SponsorSource): readonly SecretFile[] {
  const file = (variable: KeyVariable, ref: SecretKey, missing?: SecretFile['missing']) => {
    const name = nameOf(pool.spec.network, role, variable)
    return [{ ref, file: fileOf(name), variable: `${name}_FILE`, rolls: true, missing }]
  }
  if (source.secretRef) return file('SPONSOR_SECRET', source.secretRef)
  const ref = channelSecretOf(pool, source)
  const todo = `which the operator creates for ChannelPool ${pool.metadata.name}: see the conditions of that pool`
  return ref ? file('CHANNEL_SECRET', ref, { reason: 'PoolNotReady', todo }) : []
}

const signerPrefix = (network: Network): string => `${fileOf(variablePrefixes[network])}signer`

/** The files with which a pod asks the signer; their paths stand in the URI, so that they have no variable. */
const askingFiles = (pool: ChannelPool, source: SponsorSource): readonly SecretFile[] =>
  signerFiles(source).map(({ ref, suffix, field }) => ({
    ref,
    file: `${signerPrefix(pool.spec.network)}-${suffix}`,
    variable: undefined,
    rolls: true,
    missing: {
      reason: 'SignerSecretMissing',
      todo: `which spec.${field} of ChannelPool ${pool.metadata.name} names: create it`,
    },
  }))

/** The files of the sponsors that pods of this Facilitator mount for one pool. Of a sponsor that it does not serve the keys alone. */
export function sponsorFiles(facilitator: Facilitator, pool: ChannelPool): readonly SecretFile[] {
  const sponsors = sponsorsOf(facilitator, pool)
  return [
    ...roles.flatMap((role) => {
      const source = sponsors[role]
      return source ? keyFile(pool, role, source) : []
    }),
    ...askingFiles(pool, sponsors.current),
  ]
}

const tokenFile = (network: Network): string => `${signerPrefix(network)}-token`

/** The service account token with which a pod logs in to Vault. */
export function sponsorTokens(facilitator: Facilitator, pool: ChannelPool): readonly PodToken[] {
  const { vault } = sponsorsOf(facilitator, pool).current
  return vault ? [{ audience: vault.audience, file: tokenFile(pool.spec.network) }] : []
}

/** The variables of the sponsors, without those that name a file. */
export function sponsorVariables(
  facilitator: Facilitator,
  pool: ChannelPool,
): Readonly<Record<string, string>> {
  const sponsors = sponsorsOf(facilitator, pool)
  const addresses = roles.flatMap((role) => {
    const source = sponsors[role]
    if (source?.address === undefined || source.secretRef) return []
    return [[`${prefixes[role]}SPONSOR_ADDRESS`, source.address]] as const
  })
  const pathOf = (file: string | undefined): string => `${SECRETS_PATH}/${file}`
  const files = askingFiles(pool, sponsors.current)
  const place = signerPlace(sponsors.current, {
    pathOf: (ref) =>
      pathOf(files.find((file) => file.ref.name === ref.name && file.ref.key === ref.key)?.file),
    jwtFile: pathOf(tokenFile(pool.spec.network)),
  })
  return {
    ...(place && { SPONSOR_SIGNER: signerUri(place) }),
    ...Object.fromEntries(addresses),
  }
}
