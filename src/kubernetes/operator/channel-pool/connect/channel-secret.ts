import { randomBytes } from 'node:crypto'
import { listPoolChannels } from '../../../../payments/store/pools/pool-channels.ts'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { Store } from '../../../../platform/database/open.ts'
import { secretOfSeed } from '../../../../stellar/accounts/signer.ts'
import { isSecretSeed } from '../../../../stellar/accounts/strkey.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { SecretKey } from '../../../crd/fields/fields.ts'
import { labels, labelValues } from '../../../crd/names/marks.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import { isKubeError } from '../../../runtime/client/kube-error.ts'
import type { KubeObject } from '../../../runtime/objects/resource.ts'
import { type Secret, wellKnown } from '../../../runtime/objects/well-known.ts'
import { channelSecretOf, type SponsorSource } from '../../references/sponsor-source.ts'
import type { SecretReader } from '../../watches/secrets.ts'
import { PoolBlocked } from './blockers.ts'

export interface ChannelSecretDeps {
  readonly secrets: Pick<SecretReader, 'read'>
  readonly client: Pick<KubeClient, 'get' | 'create'>
}

export interface ChannelSecretRequest {
  readonly pool: ChannelPool & KubeObject
  readonly source: SponsorSource
  readonly sponsor: string
  readonly network: NetworkId
  readonly store: Store
  readonly signal: AbortSignal
}

/**
 * The seed from which the keys of the sponsor's channels are derived, of a sponsor that has no seed of its own; undefined with one. It is
 * created once, and never changed: whoever lost it could merge none of these channels. A missing one is created only while the store has
 * no channel of it. Throws `PoolBlocked`, store errors and KubeErrors.
 */
export async function channelSecretFor(
  { secrets, client }: ChannelSecretDeps,
  request: ChannelSecretRequest,
): Promise<string | undefined> {
  const { pool, source, signal } = request
  const ref = channelSecretOf(pool, source)
  if (!ref) return undefined
  const { namespace } = pool.metadata
  const known = await secrets.read({ namespace, ...ref }, signal)
  // The reader may not know yet what the last pass created.
  const value = known ?? (await readSecret(client, { namespace, ...ref }, signal))
  if (value !== undefined) return requireSeed(value, ref)
  await requireNoChannels(request, ref)
  return create({ secrets, client }, request, ref)
}

function requireSeed(value: string, { name, key }: SecretKey): string {
  if (isSecretSeed(value)) return value
  const message = `Secret ${name}, key ${key} holds no seed (S and 55 more characters), from which the keys of the channels are derived: restore it from a backup.`
  throw new PoolBlocked('ChannelSecretInvalid', message)
}

/** Another seed would have other channels, and those that exist could be neither used nor merged. */
async function requireNoChannels(
  { pool, network, sponsor, store }: ChannelSecretRequest,
  { name }: SecretKey,
): Promise<void> {
  const channels = await listPoolChannels(store.db, { network, sponsor })
  const { status } = pool
  const inStore = channels.filter(({ state }) => state !== 'retired').length
  const inStatus = status?.sponsor?.address === sponsor ? (status.channels?.accounts ?? 0) : 0
  const count = Math.max(inStore, inStatus)
  if (count === 0) return
  const message = `There is no Secret ${name}, from which the keys of the ${count} channels of sponsor ${sponsor} are derived: restore it from a backup. Without it their reserves are lost, 1 XLM each.`
  throw new PoolBlocked('ChannelSecretMissing', message)
}

async function create(
  { client }: ChannelSecretDeps,
  { pool, sponsor, signal }: ChannelSecretRequest,
  ref: SecretKey,
): Promise<string> {
  const { namespace, name: poolName } = pool.metadata
  const seed = secretOfSeed(randomBytes(32))
  try {
    await client.create<Secret>(
      wellKnown.secret,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: ref.name,
          namespace,
          labels: {
            [labels.partOf]: labelValues.partOf,
            [labels.managedBy]: labelValues.managedBy,
            [labels.channelPool]: poolName,
          },
        },
        immutable: true,
        data: { [ref.key]: Buffer.from(seed).toString('base64') },
      },
      { signal },
    )
    return seed
  } catch (error) {
    if (isKubeError(error, 'forbidden')) throw mayNotCreate(ref, sponsor, error)
    if (!isKubeError(error, 'conflict')) throw error
    // Another leader was faster.
    const value = await readSecret(client, { namespace, ...ref }, signal)
    if (value === undefined) throw error
    return requireSeed(value, ref)
  }
}

const mayNotCreate = ({ name, key }: SecretKey, sponsor: string, cause: unknown): PoolBlocked =>
  new PoolBlocked(
    'ChannelSecretMissing',
    `There is no Secret ${name}, key ${key}, for the channels of sponsor ${sponsor}, and the operator may not create it: grant it the right (secrets.create of the chart), or create the Secret with a new random seed (S...).`,
    { cause },
  )

async function readSecret(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, key }: SecretKey & { readonly namespace: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { data } = await client.get(wellKnown.secret, { namespace, name }, { signal })
    const value = data?.[key]
    return value === undefined ? '' : Buffer.from(value, 'base64').toString('utf8').trim()
  } catch (error) {
    if (isKubeError(error, 'notFound')) return undefined
    throw error
  }
}
