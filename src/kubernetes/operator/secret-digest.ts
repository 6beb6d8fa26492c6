import { createHmac, randomBytes } from 'node:crypto'
import { canonicalJson } from '../../platform/core/text/canonical-json.ts'
import type { KubeClient } from '../runtime/client/client.ts'
import { isKubeError } from '../runtime/client/kube-error.ts'
import type { ObjectName } from '../runtime/objects/resource.ts'
import { type Secret, wellKnown } from '../runtime/objects/well-known.ts'

/**
 * A digest of values of Secrets, for annotations and names that more people may read than the Secrets. Equal values have
 * equal digests; without the operator's key nobody can test a guess against one.
 */
export type SecretDigest = (value: unknown) => string

export const secretDigest =
  (key: Uint8Array): SecretDigest =>
  (value) =>
    createHmac('sha256', key).update(canonicalJson(value)).digest('hex')

export interface DigestKeyOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>
  /** The Secret that holds the key: every leader has the same, so that a change of the lead rolls no pods. */
  readonly secret: ObjectName
}

/** The digest with the key of this installation. Throws KubeErrors. */
export type ReadDigest = () => Promise<SecretDigest>

const KEY = 'key'
const KEY_BYTES = 32
/** Another operator may write the key between the read and the write. */
const ATTEMPTS = 3

/** Reads the key once, and makes it where the Secret has none. */
export function createDigestReader(options: DigestKeyOptions): ReadDigest {
  let reading: Promise<SecretDigest> | undefined
  return () => {
    reading ??= readKey(options)
      .then(secretDigest)
      .catch((error: unknown) => {
        reading = undefined
        throw error
      })
    return reading
  }
}

async function readKey(options: DigestKeyOptions): Promise<Uint8Array> {
  const { client, secret } = options
  for (let attempt = 1; ; attempt += 1) {
    const found = await client.get(wellKnown.secret, secret).catch(unlessMissing)
    const key = keyIn(found)
    if (key) return key
    try {
      return await writeKey(options, found)
    } catch (error) {
      if (attempt === ATTEMPTS || !isKubeError(error, 'conflict')) throw error
    }
  }
}

/** Never replaces a key that another operator has written since. */
async function writeKey(
  { client, secret }: DigestKeyOptions,
  found: Secret | undefined,
): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES)
  const data = { [KEY]: key.toString('base64') }
  if (found) {
    const { resourceVersion } = found.metadata
    await client.patch(wellKnown.secret, secret, { metadata: { resourceVersion }, data })
  } else {
    await client.create(wellKnown.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...secret },
      data,
    })
  }
  return key
}

/** A shorter key could be guessed. */
function keyIn(secret: Secret | undefined): Uint8Array | undefined {
  const key = Buffer.from(secret?.data?.[KEY] ?? '', 'base64')
  return key.length >= KEY_BYTES ? key : undefined
}

function unlessMissing(error: unknown): undefined {
  if (!isKubeError(error, 'notFound')) throw error
}
