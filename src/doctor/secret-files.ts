import { stat } from 'node:fs/promises'
import type { Variables } from '../config/environment.ts'
import type { SecretFile } from './facts.ts'

const PERMISSION_BITS = 0o777
/** Holds digests of keys: to read it gives nobody anything. */
const NO_SECRETS = 'API_KEY_SHA256_FILE'

/** The files that variables of the configuration name, with who may read and write them. */
export async function secretFiles(variables: Variables): Promise<readonly SecretFile[]> {
  const named = Object.entries(variables).flatMap(([variable, path]) =>
    isOurs(variable) && path ? [{ variable, path }] : [],
  )
  return Promise.all(
    named.map(async ({ variable, path }) => ({
      variable,
      path,
      // Follows the links by which an orchestrator mounts secrets.
      mode: (await stat(path)).mode & PERMISSION_BITS,
      isSecret: variable !== NO_SECRETS,
    })),
  )
}

const isOurs = (variable: string): boolean =>
  /^(DATABASE_URL|API_KEY_SHA256|(TESTNET|PUBNET)_SPONSOR_SECRET)_FILE$/.test(variable)
