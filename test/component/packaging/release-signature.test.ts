import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cosign as cosignTool, crane } from '../../../tools/release/go-tools.ts'
import { pushImage } from '../../../tools/release/publish.ts'
import { signRelease, verifyRelease } from '../../../tools/release/sign.ts'
import { writeArchive } from '../../support/oci-archive.ts'
import { startRegistry } from '../../support/oci-registry.ts'

const run = promisify(execFile)
const version = '1.2.3'

/** A key pair of this machine signs, without a transparency log: the log and the certificates need the internet. */
test('a signed release is verified with the right key, and an unsigned SBOM or another key is not', {
  timeout: 240_000,
}, async ({ skip }) => {
  const [cosign, pusher] = [await cosignTool(), await crane()]
  if ('missing' in cosign) return skip(cosign.missing)
  if ('missing' in pusher) return skip(pusher.missing)
  const out = await mkdtemp(join(tmpdir(), 'svc-signature-'))
  try {
    await using registry = await startRegistry(pusher.path)
    const keys = async (name: string) => {
      const prefix = join(out, name)
      const env = { ...process.env, COSIGN_PASSWORD: '' }
      await run(cosign.path, ['generate-key-pair', '--output-key-prefix', prefix], { env })
      return { keyPath: `${prefix}.key`, publicKeyPath: `${prefix}.pub` }
    }
    const [own, others] = [await keys('own'), await keys('others')]
    for (const [name, architecture] of Object.entries({ x64: 'amd64', arm64: 'arm64' })) {
      const path = join(out, `stellar-x402-${version}-${name}`)
      await writeArchive(`${path}.tar`, { version, architecture })
      await writeFile(`${path}.spdx.json`, `{"spdxVersion":"SPDX-2.3","name":"${name}"}`)
    }
    const release = { tree: process.cwd(), version, out }
    const record = await pushImage(release, pusher.path, `${registry.address}/svc`)
    const options = { cosign: cosign.path, record, version, out }

    await expect(verifyRelease(options, own)).rejects.toThrow('no signatures found')
    process.env['COSIGN_PASSWORD'] = ''
    await signRelease(options, own)

    const references = [record.digest, ...Object.values(record.platforms)]
    await expect(verifyRelease(options, own)).resolves.toEqual(
      references.map((digest) => `${record.image}@${digest}`),
    )
    await expect(verifyRelease(options, others)).rejects.toThrow('signature')
  } finally {
    delete process.env['COSIGN_PASSWORD']
    await rm(out, { recursive: true, force: true })
  }
})
