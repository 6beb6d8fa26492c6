/** Merges the OCI archives of several architectures into one image index, as an OCI image layout. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const INDEX = 'application/vnd.oci.image.index.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const ANNOTATION = 'org.opencontainers.image.'

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

interface Config {
  readonly os: string
  readonly architecture: string
  readonly variant?: string
  readonly config?: { readonly Labels?: Readonly<Record<string, string>> }
}

interface PlatformImage {
  /** Operating system and architecture: `linux/arm64`. */
  readonly platform: string
  readonly descriptor: Descriptor
  readonly config: Config
}

export interface ImageIndex {
  /** Digest of index.json, which is what a registry gets: `sha256:…`. */
  readonly digest: string
  /** The digest of each platform's manifest. */
  readonly platforms: Readonly<Record<string, string>>
}

/** The expected labels of every image. */
export interface Expected {
  readonly version: string
  /** The commit; whatever it says when undefined. */
  readonly revision?: string | undefined
}

/**
 * Writes the layout to `folder`. The same archives give the same digest, whatever their order.
 * @throws Error when two archives have the same platform, or when the labels of one say something else
 */
export async function mergeArchives(
  archives: readonly string[],
  folder: string,
  expected: Expected,
): Promise<ImageIndex> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'blobs'), { recursive: true })
  const images: PlatformImage[] = []
  for (const archive of archives) images.push(...(await addArchive(archive, folder, expected)))
  images.sort((one, other) => (one.platform < other.platform ? -1 : 1))
  const platforms = images.map(({ platform }) => platform)
  const twice = platforms.find((each, at) => platforms.indexOf(each) !== at)
  if (twice !== undefined) {
    throw new Error(`Two archives have an image for ${twice}. Keep one of ${archives.join(', ')}.`)
  }
  const text = JSON.stringify(indexOf(images))
  await writeFile(join(folder, 'index.json'), text)
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  return {
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    platforms: Object.fromEntries(
      images.map(({ platform, descriptor }) => [platform, descriptor.digest]),
    ),
  }
}

async function addArchive(
  archive: string,
  folder: string,
  expected: Expected,
): Promise<readonly PlatformImage[]> {
  const unpacked = await mkdtemp(join(tmpdir(), 'svc-oci-'))
  try {
    await run('tar', ['-xf', archive, '-C', unpacked])
    const { manifests } = await json<{ manifests: readonly Descriptor[] }>(unpacked, 'index.json')
    const images: PlatformImage[] = []
    for (const { mediaType, digest, size } of manifests) {
      if (mediaType !== MANIFEST) throw new Error(`${archive} has ${mediaType} in its index.json.`)
      const manifest = await json<{ config: Descriptor }>(unpacked, blob(digest))
      const config = await json<Config>(unpacked, blob(manifest.config.digest))
      for (const [name, wanted] of Object.entries(expected)) {
        const found = config.config?.Labels?.[`${ANNOTATION}${name}`]
        if (wanted === undefined || found === wanted) continue
        throw new Error(`${archive} has ${name} ${found}, not ${wanted}. Make it again.`)
      }
      const platform = [config.os, config.architecture, config.variant].filter(Boolean).join('/')
      images.push({ platform, descriptor: { mediaType, digest, size }, config })
    }
    await cp(join(unpacked, 'blobs'), join(folder, 'blobs'), { recursive: true })
    return images
  } finally {
    await rm(unpacked, { recursive: true, force: true })
  }
}

/** Registries show the annotations of the index, not the labels of the images below it. */
function indexOf(images: readonly PlatformImage[]): object {
  const labels = Object.entries(images[0]?.config.config?.Labels ?? {})
  return {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: images.map(({ descriptor, config: { os, architecture, variant } }) => ({
      ...descriptor,
      platform: { architecture, os, ...(variant === undefined ? {} : { variant }) },
    })),
    annotations: Object.fromEntries(
      labels.filter(([name]) => name.startsWith(ANNOTATION)).toSorted(),
    ),
  }
}

const blob = (digest: string): string => join('blobs', ...digest.split(':'))

const json = async <Content>(folder: string, path: string): Promise<Content> =>
  JSON.parse(await readFile(join(folder, path), 'utf8')) as Content
