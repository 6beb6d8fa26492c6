import { createHash } from 'node:crypto'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type Entry, headerOf, paddingOf, tarEnd, tarOf } from './tar.ts'

/**
 * Writes container images without a container engine or registry: an OCI layout in a tar archive, with the list
 * that `docker load` reads beside it. `ctr images import`, `docker load`, skopeo, crane and podman read it.
 * The same input makes the same bytes.
 *
 * Formats: https://github.com/opencontainers/image-spec and
 * https://github.com/moby/moby/blob/master/image/spec/v1.2.md
 */
export interface Image {
  /** With registry and tag, for example registry.example/stellar-x402:0.1.0. */
  readonly name: string
  readonly architecture: 'amd64' | 'arm64'
  /** RFC 3339. The start of 1970 without it. */
  readonly created?: string
  readonly layers: readonly Layer[]
  readonly config: ImageConfig
}

export interface Layer {
  /** Text about the layer in the history of the image. */
  readonly comment: string
  readonly entries: Iterable<Entry>
}

interface ImageConfig {
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** UID:GID. */
  readonly user?: string
  readonly workingDir?: string
  /** TCP. */
  readonly ports?: readonly number[]
  readonly labels?: Readonly<Record<string, string>>
}

export interface WrittenImage {
  readonly file: string
  readonly name: string
  /** Digest of the manifest: the one in `name@sha256:...` in a registry. */
  readonly digest: string
  readonly bytes: number
  readonly layers: readonly WrittenLayer[]
}

interface WrittenLayer {
  readonly comment: string
  readonly digest: string
  /** Digest of the uncompressed layer. */
  readonly diffId: string
  readonly bytes: number
  readonly uncompressedBytes: number
}

const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  tar: 'application/vnd.oci.image.layer.v1.tar',
  gzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
}

/**
 * @param file the archive; it appears when it is complete
 * @param gzip compresses the layers: a third of the bytes for ten times the time
 */
export async function writeImage(
  file: string,
  image: Image,
  { gzip = false }: { readonly gzip?: boolean } = {},
): Promise<WrittenImage> {
  const unfinished = `${file}.${process.pid}.unfinished`
  await using handle = await open(unfinished, 'w')
  const archive = new Archive(handle)
  const layers: WrittenLayer[] = []
  for (const layer of image.layers) layers.push(await archive.layer(layer, gzip))
  const config = await archive.blob(json(configOf(image, layers)))
  const manifest = json({
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: { mediaType: mediaTypes.config, digest: config.digest, size: config.bytes },
    layers: layers.map(({ digest, bytes }) => ({
      mediaType: gzip ? mediaTypes.gzip : mediaTypes.tar,
      digest,
      size: bytes,
    })),
  })
  const { digest, bytes } = await archive.blob(manifest)
  await archive.file('index.json', json(indexOf(image, digest, bytes)))
  await archive.file('manifest.json', json(dockerListOf(image, config.digest, layers)))
  await archive.file('oci-layout', json({ imageLayoutVersion: '1.0.0' }))
  await archive.end()
  await rename(unfinished, file)
  return { file, name: image.name, digest, bytes: archive.position, layers }
}

function configOf({ architecture, created, config }: Image, layers: readonly WrittenLayer[]) {
  const time = created ?? '1970-01-01T00:00:00Z'
  return {
    created: time,
    architecture,
    os: 'linux',
    config: {
      ...(config.user && { User: config.user }),
      ...(config.ports && {
        ExposedPorts: Object.fromEntries(config.ports.map((port) => [`${port}/tcp`, {}])),
      }),
      Env: Object.entries(config.env ?? {}).map(([name, value]) => `${name}=${value}`),
      ...(config.entrypoint && { Entrypoint: config.entrypoint }),
      ...(config.command && { Cmd: config.command }),
      WorkingDir: config.workingDir ?? '/',
      ...(config.labels && { Labels: config.labels }),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ comment }) => ({ created: time, created_by: comment })),
  }
}

/** containerd takes the image's name from the annotation of its own, other tools the tag from the general one. */
function indexOf({ name, architecture }: Image, digest: string, size: number) {
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  }
  const platform = { architecture, os: 'linux' }
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ mediaType: mediaTypes.manifest, digest, size, annotations, platform }],
  }
}

const dockerListOf = ({ name }: Image, config: string, layers: readonly WrittenLayer[]) => [
  {
    Config: blobPath(config),
    RepoTags: [name],
    Layers: layers.map(({ digest }) => blobPath(digest)),
  },
]

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`
const sha256 = (data: Uint8Array): string =>
  `sha256:${createHash('sha256').update(data).digest('hex')}`

/** The outer archive. A layer is written once: its header, which names digest and size, is filled in afterwards. */
class Archive {
  position = 0
  readonly #handle: FileHandle
  /** Two layers of the same content are one blob. */
  readonly #blobs = new Set<string>()

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async layer({ comment, entries }: Layer, gzip: boolean): Promise<WrittenLayer> {
    const start = this.position
    this.position += headerOf(fileEntry(blobPath(sha256(Buffer.alloc(0))), 0)).length
    const diff = createHash('sha256')
    const stored = createHash('sha256')
    let uncompressedBytes = 0
    let bytes = 0
    async function* hashed() {
      for await (const chunk of tarOf(entries)) {
        diff.update(chunk)
        uncompressedBytes += chunk.length
        yield chunk
      }
    }
    const source: AsyncIterable<Uint8Array> = gzip
      ? Readable.from(hashed(), { objectMode: false }).pipe(createGzip())
      : hashed()
    for await (const chunk of source) {
      if (gzip) stored.update(chunk)
      bytes += chunk.length
      await this.#append(chunk)
    }
    const diffId = `sha256:${diff.digest('hex')}`
    const digest = gzip ? `sha256:${stored.digest('hex')}` : diffId
    const path = blobPath(digest)
    if (this.#blobs.has(path)) {
      this.position = start
    } else {
      this.#blobs.add(path)
      await this.#handle.write(headerOf(fileEntry(path, bytes)), 0, undefined, start)
      await this.#append(paddingOf(bytes))
    }
    return { comment, digest, diffId, bytes, uncompressedBytes }
  }

  async blob(data: Uint8Array): Promise<{ digest: string; bytes: number }> {
    const digest = sha256(data)
    await this.file(blobPath(digest), data)
    return { digest, bytes: data.length }
  }

  async file(path: string, data: Uint8Array): Promise<void> {
    await this.#append(headerOf(fileEntry(path, data.length)))
    await this.#append(data)
    await this.#append(paddingOf(data.length))
  }

  async end(): Promise<void> {
    await this.#append(tarEnd)
    await this.#handle.truncate(this.position)
  }

  async #append(data: Uint8Array): Promise<void> {
    if (data.length === 0) return
    await this.#handle.write(data, 0, data.length, this.position)
    this.position += data.length
  }
}

const fileEntry = (path: string, size: number): Entry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: { file: path, size },
})
