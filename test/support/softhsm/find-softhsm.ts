/**
 * SoftHSM 2, a PKCS#11 token in software: that of this machine, or else the package of its Debian release, unpacked into the cache without
 * root. Tests of PKCS#11 are skipped where there is neither.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../src/platform/core/text/error-message.ts'
import { debianPackages } from '../../../tools/image/debian.ts'
import { changeToken } from './change-token.ts'

interface SoftHsm {
  /** Absolute path of the PKCS#11 library. */
  readonly modulePath: string
}

/** Why tests of PKCS#11 are skipped on this machine. */
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
const architectures: Readonly<Record<string, 'amd64' | 'arm64'>> = { x64: 'amd64', arm64: 'arm64' }

let found: Promise<SoftHsm | NoSoftHsm> | undefined

export function findSoftHsm(): Promise<SoftHsm | NoSoftHsm> {
  found ??= look().catch((error: unknown) => ({
    reason: `there is no SoftHSM on this machine, and apt does not fetch it: ${messageOf(error)}`,
  }))
  return found
}

/** Why tests with a token are skipped on this machine; undefined when it has SoftHSM. */
export async function noSoftHsm(): Promise<string | undefined> {
  const softHsm = await findSoftHsm()
  return 'reason' in softHsm ? softHsm.reason : undefined
}

async function look(): Promise<SoftHsm> {
  const [installed] = globSync(places)
  if (installed !== undefined) return { modulePath: installed }
  const architecture = process.platform === 'linux' ? architectures[process.arch] : undefined
  if (!architecture) throw new Error(`${process.platform} on ${process.arch} has no such package`)
  const [unpacked] = await debianPackages(['libsofthsm2'], architecture)
  const [modulePath] = globSync(join(unpacked!.root, 'usr/lib/*/softhsm/libsofthsm2.so'))
  if (modulePath === undefined) throw new Error('libsofthsm2 has no libsofthsm2.so')
  await changeToken({ change: 'load', modulePath }, {})
  return { modulePath }
}
