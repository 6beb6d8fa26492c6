import { statSync } from 'node:fs'
import { appEntries } from './app.ts'
import { debianBase } from './base.ts'
import { compileCacheEntries } from './compile-cache.ts'
import type { DebianPackage } from './debian.ts'
import { type Library, libraries, librariesIn, libraryEntries } from './libraries.ts'
import { type NodeBinary, nodeBinary } from './node-binary.ts'
import type { Layer } from './oci.ts'
import type { Entry } from './tar.ts'
import { foldersTo } from './tree.ts'

export type Arch = 'x64' | 'arm64'

/** The architecture names of Debian and OCI. */
export const debianArch = { x64: 'amd64', arm64: 'arm64' } as const

export interface ImageContents {
  readonly debian: readonly DebianPackage[]
  readonly node: NodeBinary
  readonly libraries: readonly Library[]
  /** The parts that change least come first: a node that has the release before fetches only the last. */
  readonly layers: readonly {
    readonly name: 'debian' | 'node' | 'libraries' | 'app'
    readonly entries: readonly Entry[]
  }[]
}

/** Everything that the image of a checkout has, as root of the file system. */
export async function imageContents(tree: string, arch: Arch): Promise<ImageContents> {
  const [base, node, folder] = await Promise.all([
    debianBase(debianArch[arch]),
    nodeBinary(tree, arch),
    libraries(tree, arch),
  ])
  const layers = [
    { name: 'debian', entries: base.entries },
    { name: 'node', entries: nodeEntries(node) },
    { name: 'libraries', entries: libraryEntries(folder) },
    { name: 'app', entries: appEntries(tree) },
  ] as const
  const compiled = canRun(arch)
    ? await compileCacheEntries(layers.flatMap(({ entries }) => entries))
    : []
  return {
    debian: base.packages,
    node,
    libraries: await librariesIn(folder),
    layers: layers.map((layer) =>
      layer.name === 'app' ? { ...layer, entries: [...layer.entries, ...compiled] } : layer,
    ),
  }
}

/** The layers alone, for an image that adds to them. */
export const layersOf = async (tree: string, arch: Arch): Promise<readonly Layer[]> =>
  (await imageContents(tree, arch)).layers.map(layerOf)

export const layerOf = ({ name, entries }: ImageContents['layers'][number]): Layer => ({
  comment: name,
  entries,
})

export function machineArch(): Arch {
  if (process.arch === 'x64' || process.arch === 'arm64') return process.arch
  throw new Error(`There is no image for ${process.arch}: name x64 or arm64.`)
}

/** Compiled code is made by the image's own Node. Without it the image works, and starts more slowly. */
const canRun = (arch: Arch): boolean => process.platform === 'linux' && process.arch === arch

const nodeEntries = ({ file, licence }: NodeBinary): Entry[] => [
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
