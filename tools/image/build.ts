import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { appEntries } from './app.ts'
import { debianBase, USER_ID } from './base.ts'
import { libraries, libraryEntries } from './libraries.ts'
import { nodeBinary } from './node-binary.ts'
import { type Layer, type WrittenImage, writeImage } from './oci.ts'
import type { Entry } from './tar.ts'
import { foldersTo } from './tree.ts'

export interface ImageRequest {
  /** The checkout whose sources and lockfile the image gets; it need not have this folder. */
  readonly tree: string
  readonly version: string
  /** Of the sources in git. */
  readonly revision?: string | undefined
  /** RFC 3339: when the revision was committed. */
  readonly created?: string | undefined
  /** Where the sources are published. */
  readonly source?: string | undefined
  /** The archive to write. */
  readonly out: string
  /** registry.example/x402-stellar:VERSION without it. */
  readonly name?: string | undefined
  /** That of this machine without it. */
  readonly arch?: 'x64' | 'arm64' | undefined
  /** A third of the bytes, for 10 s more. */
  readonly gzip?: boolean | undefined
}

/**
 * Builds the image of a checkout without a container engine, a registry or root, and writes it as an archive. The same
 * request with the same package versions makes the same bytes.
 */
export async function buildImage(request: ImageRequest): Promise<WrittenImage> {
  const { version, out } = request
  const arch = request.arch ?? machineArch()
  await mkdir(dirname(out), { recursive: true })
  const image = {
    name: request.name ?? `registry.example/x402-stellar:${version}`,
    architecture: debianArch[arch],
    ...(request.created !== undefined && { created: request.created }),
    layers: await layersOf(request.tree, arch),
    config: {
      entrypoint: ['node', '/app/src/cli/svc.ts'],
      command: ['--help'],
      env: environmentOf(version),
      user: `${USER_ID}:${USER_ID}`,
      workingDir: '/app',
      ports: [8080, 9090],
      labels: labelsOf(request),
    },
  }
  return writeImage(out, image, { gzip: request.gzip ?? false })
}

export const debianArch = { x64: 'amd64', arm64: 'arm64' } as const

export function machineArch(): 'x64' | 'arm64' {
  if (process.arch === 'x64' || process.arch === 'arm64') return process.arch
  throw new Error(`There is no image for ${process.arch}: name x64 or arm64.`)
}

/** The parts that change least come first: a node that has the release before fetches only the last. */
export async function layersOf(tree: string, arch: 'x64' | 'arm64'): Promise<readonly Layer[]> {
  const [base, node, modules] = await Promise.all([
    debianBase(debianArch[arch]),
    nodeBinary(tree, arch),
    libraries(tree, arch),
  ])
  return [
    { comment: 'Debian packages', entries: base.entries },
    { comment: `Node ${node.version}`, entries: nodeEntries(node.file, node.licence) },
    { comment: 'npm packages', entries: libraryEntries(modules) },
    { comment: 'svc', entries: appEntries(tree) },
  ]
}

const nodeEntries = (file: string, licence: string): Entry[] => [
  ...foldersTo('usr/local/bin/node'),
  ...foldersTo('usr/share/doc/node/copyright'),
  fileEntry(file, 'usr/local/bin/node', 0o755),
  fileEntry(licence, 'usr/share/doc/node/copyright', 0o644),
]

const fileEntry = (file: string, path: string, mode: number): Entry => ({
  type: 'file',
  path,
  mode,
  content: { file, size: statSync(file).size },
})

/** With /app/bin on the path, `kubectl exec` runs `svc status` and every other command by its name. */
export const environmentOf = (version: string): Readonly<Record<string, string>> => ({
  PATH: '/app/bin:/usr/local/bin',
  NODE_ENV: 'production',
  // Half of the usual room for young objects: 30 MB less, and no request is slower (docs/performance.md).
  NODE_OPTIONS: '--max-semi-space-size=8',
  SVC_VERSION: version,
})

const labelsOf = ({ version, revision, source }: ImageRequest) => ({
  'org.opencontainers.image.title': 'x402-stellar',
  'org.opencontainers.image.description':
    'An x402 payment facilitator for Stellar, and its Kubernetes operator',
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'org.opencontainers.image.version': version,
  ...(revision !== undefined && { 'org.opencontainers.image.revision': revision }),
  ...(source !== undefined && { 'org.opencontainers.image.source': source }),
})
