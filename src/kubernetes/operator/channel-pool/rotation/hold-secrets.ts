import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { sponsorFinalizer } from '../../../crd/names/marks.ts'
import { addFinalizer, hasFinalizer, removeFinalizer } from '../../../runtime/apply/finalizers.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import { isKubeError } from '../../../runtime/client/kube-error.ts'
import { isBeingDeleted } from '../../../runtime/objects/resource.ts'
import { type Secret, wellKnown } from '../../../runtime/objects/well-known.ts'
import type { Rotation } from '../../references/rotation-state.ts'
import {
  channelSecretOf,
  type SponsorSource,
  secretNamesOf,
} from '../../references/sponsor-source.ts'

export type SecretsClient = Pick<KubeClient, 'get' | 'apply' | 'patch' | 'fieldManager'>

interface SecretName {
  readonly namespace: string
  readonly name: string
}

/** A pool in a rotation, with the Secrets of both sponsors. */
interface Held {
  readonly pool: Pick<ChannelPool, 'metadata' | 'spec' | 'status'>
  readonly rotation: Pick<Rotation, 'from' | 'to'>
}

function namesOf({ pool, rotation: { from, to } }: Held): readonly string[] {
  const names = [from.source, to.source].flatMap((source) => [
    ...secretNamesOf(source),
    ...channelSecretNames(pool, source),
  ])
  return [...new Set(names)]
}

const channelSecretNames = (pool: Held['pool'], source: SponsorSource): readonly string[] => {
  const ref = channelSecretOf(pool, source)
  return ref ? [ref.name] : []
}

/**
 * Keeps the Secret from which the keys of the channels are derived, although someone deletes it, as long as the pool manages them. To be
 * called before a channel is created. Throws KubeErrors.
 */
export async function holdChannelSecret(
  client: SecretsClient,
  { pool, source }: { readonly pool: Held['pool']; readonly source: SponsorSource },
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = pool.metadata
  for (const name of channelSecretNames(pool, source))
    await hold(client, { namespace, name }, signal)
}

/** Lets it be deleted again, when the pool manages none of these channels any more. It deletes nothing. */
export async function freeChannelSecret(
  client: SecretsClient,
  { pool, source }: { readonly pool: Held['pool']; readonly source: SponsorSource },
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = pool.metadata
  for (const name of channelSecretNames(pool, source)) {
    await freeSecret(client, { namespace, name }, signal)
  }
}

/**
 * Keeps the Secrets of both sponsors while a rotation needs them, although someone deletes them. A Secret that is gone or going already cannot
 * be held: its values count for as long as they can be read. Throws KubeErrors.
 */
export async function holdSecrets(
  client: SecretsClient,
  held: Held,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = held.pool.metadata
  for (const name of namesOf(held)) await hold(client, { namespace, name }, signal)
}

async function hold(client: SecretsClient, name: SecretName, signal: AbortSignal): Promise<void> {
  const live = await read(client, name, signal)
  if (!live || isBeingDeleted(live)) return
  await addFinalizer({ client, type: wellKnown.secret, live, finalizer: sponsorFinalizer, signal })
}

/**
 * Lets them be deleted again, but for the one of the channels of the sponsor in use. Throws KubeErrors; the next pass tries again.
 * @param inUse undefined when the pool goes
 */
export async function freeSecrets(
  client: SecretsClient,
  held: Held,
  { inUse, signal }: { readonly inUse: SponsorSource | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { namespace } = held.pool.metadata
  const kept = inUse ? channelSecretNames(held.pool, inUse) : []
  for (const name of namesOf(held)) {
    if (!kept.includes(name)) await freeSecret(client, { namespace, name }, signal)
  }
}

/** The same for one. */
export async function freeSecret(
  client: SecretsClient,
  name: SecretName,
  signal: AbortSignal,
): Promise<void> {
  const live = await read(client, name, signal)
  if (!live || !hasFinalizer(live, sponsorFinalizer)) return
  const request = { client, type: wellKnown.secret, live, finalizer: sponsorFinalizer, signal }
  await removeFinalizer(request).catch((error: unknown) => {
    if (!isKubeError(error, 'notFound')) throw error
  })
}

async function read(
  client: SecretsClient,
  name: SecretName,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  try {
    return await client.get(wellKnown.secret, name, { signal })
  } catch (error) {
    if (isKubeError(error, 'notFound')) return undefined
    throw error
  }
}
