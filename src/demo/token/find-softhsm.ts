/** SoftHSM 2, a PKCS#11 token in software: that of this machine, or else the package of its Debian release, in the cache without root. */
import { globSync } from 'node:fs'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { loadLibrary } from './create-token.ts'
import { fetchSoftHsm } from './fetch-softhsm.ts'

interface SoftHsm {
  /** Absolute path of the PKCS#11 library. */
  readonly modulePath: string
}

/** Why there is none on this machine. */
interface NoSoftHsm {
  readonly reason: string
}

const places = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/*/softhsm/libsofthsm2.so',
  '/usr/lib*/pkcs11/libsofthsm2.so',
  '/usr/local/lib/softhsm/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
]

let found: Promise<SoftHsm | NoSoftHsm> | undefined

/** Looks once in a process. */
export function findSoftHsm(): Promise<SoftHsm | NoSoftHsm> {
  found ??= look().catch((error: unknown) => ({
    reason: `there is no SoftHSM on this machine, and apt does not fetch it: ${messageOf(error)}`,
  }))
  return found
}

async function look(): Promise<SoftHsm> {
  const [installed] = globSync(places)
  if (installed !== undefined) return { modulePath: installed }
  if (process.platform !== 'linux') throw new Error(`${process.platform} has no such package`)
  const modulePath = await fetchSoftHsm()
  await loadLibrary(modulePath)
  return { modulePath }
}
