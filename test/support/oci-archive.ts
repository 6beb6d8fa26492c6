/** A small OCI archive: an image with one layer, as `make image` writes one, without its files. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const run = promisify(execFile)

const TYPE = 'application/vnd.oci.image'

interface ArchiveOptions {
  readonly version: string
  /** As in `arm64`. */
  readonly architecture: string
}

export async function writeArchive(
  path: string,
  { version, architecture }: ArchiveOptions,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-archive-'))
  try {
    await mkdir(join(folder, 'blobs/sha256'), { recursive: true })
    const add = async (mediaType: string, content: Buffer) => {
      const hash = sha256(content)
      await writeFile(join(folder, 'blobs/sha256', hash), content)
      return { mediaType, digest: `sha256:${hash}`, size: content.length }
    }
    const addJson = (mediaType: string, content: object) =>
      add(mediaType, Buffer.from(JSON.stringify(content)))
    // Two blocks of zeros are an empty tar.
    const tar = Buffer.alloc(1024)
    const layer = await add(`${TYPE}.layer.v1.tar+gzip`, gzipSync(tar))
    const config = await addJson(`${TYPE}.config.v1+json`, {
      os: 'linux',
      architecture,
      config: { Labels: { 'org.opencontainers.image.version': version, other: 'label' } },
      rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(tar)}`] },
    })
    const mediaType = `${TYPE}.manifest.v1+json`
    const manifest = await addJson(mediaType, {
      schemaVersion: 2,
      mediaType,
      config,
      layers: [layer],
    })
    const index = { schemaVersion: 2, manifests: [manifest] }
    await writeFile(join(folder, 'index.json'), JSON.stringify(index))
    await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
    await run('tar', ['-cf', path, '-C', folder, '.'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
