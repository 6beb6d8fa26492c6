import { sponsorFinalizer } from '../../../crd/names/marks.ts'
import { addFinalizer, hasFinalizer, removeFinalizer } from '../../../runtime/apply/finalizers.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import { isKubeError } from '../../../runtime/client/kube-error.ts'
import { isBeingDeleted } from '../../../runtime/objects/resource.ts'
import { type Secret, wellKnown } from '../../../runtime/objects/well-known.ts'
import type { Rotation } from '../../references/rotation-state.ts'
import { secretNamesOf } from '../../references/sponsor-source.ts'

export type SecretsClient = Pick<KubeClient, 'get' | 'apply' | 'patch' | 'fieldManager'>

interface SecretName {
  readonly namespace: string
  readonly name: string
}

/** The namespace of a rotation, and its two Secrets. */
interface Held {
  readonly namespace: string
  readonly rotation: Pick<Rotation, 'from' | 'to'>
}

const namesOf = ({ from, to }: Held['rotation']): readonly string[] => [
  ...new Set([from.source, to.source].flatMap(secretNamesOf)),
]

/**
 * Keeps both Secrets while a rotation needs their seeds, although someone deletes them. A Secret that is gone or going already cannot
 * be held: its values count for as long as they can be read. Throws KubeErrors.
 */
export async function holdSecrets(
  client: SecretsClient,
  { namespace, rotation }: Held,
  signal: AbortSignal,
): Promise<void> {
  for (const name of namesOf(rotation)) {
    const live = await read(client, { namespace, name }, signal)
    if (!live || isBeingDeleted(live)) continue
    await addFinalizer({
      client,
      type: wellKnown.secret,
      live,
      finalizer: sponsorFinalizer,
      signal,
    })
  }
}

/** Lets them be deleted again. Throws KubeErrors; the next pass tries again. */
export async function freeSecrets(
  client: SecretsClient,
  { namespace, rotation }: Held,
  signal: AbortSignal,
): Promise<void> {
  for (const name of namesOf(rotation)) await freeSecret(client, { namespace, name }, signal)
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
