import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianPackage, debianPackages } from './debian.ts'
import type { Entry } from './tar.ts'
import { foldersTo, treeEntries } from './tree.ts'

/** Packages with the libraries that Node links to, the certificates, and the names of the release. */
const names = ['base-files', 'ca-certificates', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6']

export interface Base {
  readonly packages: readonly DebianPackage[]
  readonly entries: readonly Entry[]
}

/** The user of the image: it owns nothing in it. */
export const USER_ID = 10001

/**
 * The part of the root file system that comes from Debian: no shell, no package manager, no program at all. Time zones
 * are missing because Node has its own.
 */
export async function debianBase(architecture: 'amd64' | 'arm64'): Promise<Base> {
  const packages = await debianPackages(names, architecture)
  const entries = packages.flatMap((each) => [...filesOf(each), statusOf(each)])
  const bundle = certificates(packages.find(({ name }) => name === 'ca-certificates')!)
  const all = [...entries, ...settings, bundle, ...emptyFolders]
  const folders = all.flatMap(({ path }) => foldersTo(path))
  return { packages, entries: [...folders, ...all] }
}

/** A program that runs in the image needs these files; licences require the copyright notices beside them. */
const kept: readonly RegExp[] = [
  /^lib(64)?\/([^/]+\/)?[^/]+\.so[^/]*$/,
  /^usr\/lib\/[^/]+\/[^/]+\.so[^/]*$/,
  /^(etc|usr\/lib)\/os-release$/,
  /^etc\/debian_version$/,
  /^usr\/share\/doc\/[^/]+(\/copyright)?$/,
  /^usr\/share\/common-licenses\/[^/]+$/,
]

/** Folders come with what they hold: a package has many that stay empty. */
const filesOf = ({ root }: DebianPackage): Entry[] =>
  treeEntries(root, {
    keep: (path, kind) => kind === 'folder' || kept.some((each) => each.test(path)),
    fileMode: (path) => (statSync(join(root, path)).mode & 0o100 ? 0o755 : 0o644),
  }).filter(({ type }) => type !== 'folder')

/** Scanners for vulnerable packages look here when there is no package manager. */
const statusOf = ({ name, control }: DebianPackage): Entry => ({
  type: 'file',
  path: `var/lib/dpkg/status.d/${name}`,
  mode: 0o644,
  content: Buffer.from(`${control.trim()}\n`),
})

/**
 * Makes the file that update-ca-certificates would write: that is a shell script, as are the steps of the package's
 * installation.
 */
function certificates({ root }: DebianPackage): Entry {
  const folder = join(root, 'usr/share/ca-certificates/mozilla')
  const files = readdirSync(folder).filter((name) => name.endsWith('.crt'))
  const content = Buffer.concat(files.sort().map((name) => readFileSync(join(folder, name))))
  return { type: 'file', path: 'etc/ssl/certs/ca-certificates.crt', mode: 0o644, content }
}

const text = (path: string, lines: readonly string[]): Entry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: Buffer.from(lines.map((line) => `${line}\n`).join('')),
})

const settings: readonly Entry[] = [
  text('etc/passwd', [
    'root:x:0:0:root:/root:/nonexistent',
    `nonroot:x:${USER_ID}:${USER_ID}:nonroot:/nonexistent:/nonexistent`,
    'nobody:x:65534:65534:nobody:/nonexistent:/nonexistent',
  ]),
  text('etc/group', ['root:x:0:', `nonroot:x:${USER_ID}:`, 'nogroup:x:65534:']),
  text('etc/nsswitch.conf', ['passwd: files', 'group: files', 'hosts: files dns']),
]

const emptyFolders: readonly Entry[] = [
  ...['dev', 'proc', 'sys', 'run', 'var'].map((path) => ({ path, mode: 0o755 })),
  { path: 'root', mode: 0o700 },
  { path: 'tmp', mode: 0o1777 },
  { path: 'var/tmp', mode: 0o1777 },
].map(({ path, mode }) => ({ type: 'folder', path, mode }))
// Kubernetes mounts the token of the service account below /var/run.
