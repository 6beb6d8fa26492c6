import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { output } from '../../../tools/image/command.ts'

/** What an image says of its processes, in the form of the OCI's image configuration. */
export interface ProcessConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly ExposedPorts: object
  readonly Labels: Readonly<Record<string, string>>
}

const archiveFolder = (root: string): string => `${root}.archive`
const read = (root: string, path: string): string =>
  readFileSync(join(archiveFolder(root), path), 'utf8')
const listOf = (root: string): { Config: string; Layers: readonly string[] } =>
  JSON.parse(read(root, 'manifest.json'))[0]

/** Unpacks the layers of an archive that `docker load` reads, in their order, with owners and modes. */
export async function unpackArchive(archive: string, root: string): Promise<string> {
  const folder = archiveFolder(root)
  for (const each of [folder, root]) mkdirSync(each, { mode: 0o755 })
  await output('tar', ['-xf', archive, '-C', folder])
  const layers = listOf(root).Layers.map((layer) => join(folder, layer))
  const options = ['--same-owner', '--same-permissions', '--numeric-owner']
  for (const layer of layers) await output('tar', [...options, '-xf', layer, '-C', root])
  // After all of them: one may be a link to another.
  for (const layer of layers) await rm(layer, { force: true })
  return root
}

export function configOf(root: string): ProcessConfig {
  return JSON.parse(read(root, listOf(root).Config)).config
}

export interface Listed {
  /** Type, mode, and owners. */
  readonly access: string
  /** The digest of a file, the target of a link. */
  readonly content: string
}

/** Everything below a folder, by path. */
export function listTree(root: string, below = '', found = new Map<string, Listed>()) {
  for (const name of readdirSync(join(root, below))) {
    const path = below === '' ? name : `${below}/${name}`
    const stat = lstatSync(join(root, path))
    found.set(path, {
      access: `${stat.mode.toString(8)} ${stat.uid}:${stat.gid}`,
      content: stat.isDirectory() ? '' : contentOf(join(root, path), stat.isSymbolicLink()),
    })
    if (stat.isDirectory()) listTree(root, path, found)
  }
  return found
}

const contentOf = (path: string, isLink: boolean): string =>
  isLink ? readlinkSync(path) : createHash('sha256').update(readFileSync(path)).digest('hex')
