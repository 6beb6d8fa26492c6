import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { typed } from '../../platform/core/text/typed-command.ts'
import type { Pkcs11Place } from '../../signing/signer-place.ts'
import { addressOf } from '../../stellar/accounts/strkey.ts'
import { DemoFailure } from '../demo-failure.ts'
import { type DemoSigner, SIGNER_FOLDER, shortAddress } from '../signer/demo-signer.ts'
import { findSoftHsm } from './find-softhsm.ts'
import { makeSoftHsmFolder } from './softhsm-folder.ts'

/** Makes a token of SoftHSM with the sponsor's key in the demo's folder. Throws DemoFailure where there is no SoftHSM. */
export async function startTokenSigner(folder: string): Promise<DemoSigner> {
  const softHsm = await findSoftHsm()
  if ('reason' in softHsm) throw new DemoFailure(softHsm.reason, howToInstall())
  const own = join(folder, SIGNER_FOLDER)
  await mkdir(own, { mode: 0o700 })
  const made = await makeSoftHsmFolder(own, softHsm.modulePath, 'svc demo')
  const address = addressOf(made.publicKey)
  return {
    address,
    uri: uriOf(made.place),
    description: `PKCS#11 token, key of ${shortAddress(address)}`,
    environment: made.environment,
    lost: undefined,
    // The token's files go with the folder's state.
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const howToInstall = (): string =>
  'Install SoftHSM 2: apt-get install libsofthsm2 (Debian, Ubuntu), dnf install softhsm (Fedora), brew install softhsm (macOS). ' +
  `Or start with another signer: ${typed().demo('--signer sidecar')}`

const uriOf = ({ token, key, modulePath, pinFile }: Pkcs11Place): string => {
  const [path, query] = [
    { token, object: key },
    { 'module-path': modulePath, 'pin-source': `file:${pinFile}` },
  ].map((attributes) =>
    Object.entries(attributes).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  )
  return `pkcs11:${path?.join(';')}?${query?.join('&')}`
}
