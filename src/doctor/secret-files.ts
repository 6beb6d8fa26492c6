import { stat } from 'node:fs/promises'
import type { Variables } from '../config/environment.ts'
import type { SecretFile } from './facts.ts'

const PERMISSION_BITS = 0o777
/** It holds only digests, which are useless as keys. */
const DIGESTS_FILE = 'API_KEY_SHA256_FILE'

/** The files that `_FILE` variables of the configuration name, with their permissions. */
export async function secretFiles(variables: Variables): Promise<readonly SecretFile[]> {
  const named = Object.entries(variables).flatMap(([variable, path]) =>
    isSecretFileVariable(variable) && path ? [{ variable, path }] : [],
  )
  return Promise.all(
    named.map(async ({ variable, path }) => ({
      variable,
      path,
      // stat follows links: Kubernetes mounts secrets as links.
      mode: (await stat(path)).mode & PERMISSION_BITS,
      isSecret: variable !== DIGESTS_FILE,
    })),
  )
}

const isSecretFileVariable = (variable: string): boolean =>
  /^(DATABASE_URL|DATABASE_DIRECT_URL|API_KEY_SHA256|(TESTNET|PUBNET)_SPONSOR_SECRET)_FILE$/.test(
    variable,
  )
