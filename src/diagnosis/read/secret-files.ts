import { stat } from 'node:fs/promises'
import type { Variables } from '../../settings/parser/environment.ts'
import type { SecretFile } from '../facts/doctor-facts.ts'

const PERMISSION_BITS = 0o777
/** It holds only digests, which are useless as keys. */
const DIGESTS_FILE = 'API_KEY_SHA256_FILE'

/** The files that `_FILE` variables of the configuration name, with their permissions. */
export async function secretFiles(variables: Variables): Promise<readonly SecretFile[]> {
  const named = Object.entries(variables).flatMap(([variable, path]) =>
    isSecretFileVariable(variable) && path ? [{ variable, path }] : [],
  )
  const files = await Promise.all(
    named.map(async (file) => ({ ...file, mode: await modeOf(file) })),
  )
  return files.flatMap(({ variable, path, mode }) =>
    mode === undefined ? [] : [{ variable, path, mode, isSecret: variable !== DIGESTS_FILE }],
  )
}

/** Undefined without the file: the configuration refuses that where it reads it. */
async function modeOf({ path }: { readonly path: string }): Promise<number | undefined> {
  try {
    // stat follows links: Kubernetes mounts secrets as links.
    return (await stat(path)).mode & PERMISSION_BITS
  } catch {
    return undefined
  }
}

const isSecretFileVariable = (variable: string): boolean =>
  /^(DATABASE_URL|DATABASE_DIRECT_URL|API_KEY_SHA256|(TESTNET|PUBNET)_SPONSOR_SECRET)_FILE$/.test(
    variable,
  )
