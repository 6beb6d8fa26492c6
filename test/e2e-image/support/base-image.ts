import { existsSync, realpathSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withLibraries } from '../../../tools/e2e/fetched-programs.ts'
import { output } from '../../../tools/image/command.ts'
import { debianArch, machineArch } from '../../../tools/image/layers.ts'
import { nodeBinary } from '../../../tools/image/node-binary.ts'
import { writeImage } from '../../../tools/image/oci.ts'
import type { Entry } from '../../../tools/image/tar.ts'
import { foldersTo, type TreeOptions, treeEntries } from '../../../tools/image/tree.ts'

/** What tools/image needs of Debian; nothing is configured. The C library comes with its own parts. */
const packages = [
  ...['apt', 'base-files', 'ca-certificates', 'coreutils', 'dash', 'debian-archive-keyring'],
  ...['dpkg', 'gpgv', 'gzip', 'libc6', 'libcrypt1', 'libgcc-s1', 'tar', 'zlib1g'],
]
const NPM = 'usr/local/lib/node_modules/npm'
const LISTS = '/var/lib/apt/lists'
const BUNDLE = 'etc/ssl/certs/ca-certificates.crt'

/**
 * Writes an image like `node:24-bookworm-slim`, from which the Dockerfile builds, as an archive: no registry is needed.
 * It has this machine's package sources and lists, certificates and npm settings, so that a build in it gets the same
 * packages from the same places.
 */
export async function writeBaseImage(tree: string, file: string, name: string): Promise<void> {
  const architecture = debianArch[machineArch()]
  const work = await mkdtemp(join(tmpdir(), 'svc-e2e-image-npm-'))
  try {
    const node = await nodeBinary(tree, machineArch())
    const debian = await withLibraries(packages)
    const entries = [
      ...debian.flatMap(({ root }) =>
        treeEntries(root, { ...sameModes(root), keep: (path) => !ofMachine(path) }),
      ),
      fileEntry(node.file, 'usr/local/bin/node', 0o755),
      ...(await npm(work)),
      ...(await machineSettings()),
      { type: 'folder', path: 'tmp', mode: 0o1777 } as const,
    ]
    const env = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      NODE_EXTRA_CA_CERTS: `/${BUNDLE}`,
    }
    const folders = entries.flatMap(({ path }) => foldersTo(path))
    const layers = [{ comment: 'base', entries: [...folders, ...entries] }]
    // `docker image prune` finds by its label what a build leaves.
    await writeImage(file, { name, architecture, layers, config: { env, labels: { [name]: '' } } })
  } finally {
    await rm(work, { recursive: true })
  }
}

const ofMachine = (path: string): boolean => path.startsWith('etc/apt/')

const sameModes = (root: string): TreeOptions => ({
  fileMode: (path) => statSync(join(root, path)).mode & 0o777,
})

/** Of the version that this machine has. */
async function npm(work: string): Promise<Entry[]> {
  const version = (await output('npm', ['--version'])).trim()
  const [packed] = JSON.parse(
    await output('npm', ['pack', `npm@${version}`, '--json', '--pack-destination', work], {
      cwd: work,
    }),
  )
  await output('tar', ['-xzf', packed.filename], { cwd: work })
  const root = join(work, 'package')
  return [
    ...treeEntries(root, { at: NPM, ...sameModes(root) }),
    { type: 'link', path: 'usr/local/bin/npm', mode: 0o777, target: `/${NPM}/bin/npm-cli.js` },
  ]
}

async function machineSettings(): Promise<Entry[]> {
  const npmSetting = async (name: string) => (await output('npm', ['config', 'get', name])).trim()
  const certificates = process.env['NODE_EXTRA_CA_CERTS'] ?? `/${BUNDLE}`
  const authority = await npmSetting('cafile')
  const files = [
    [await npmSetting('globalconfig'), 'usr/local/etc/npmrc'],
    [await npmSetting('userconfig'), 'root/.npmrc'],
    [certificates, BUNDLE],
    [authority, authority.slice(1)],
  ] as const
  const found = new Map(files.filter(([from]) => existsSync(from)).map(([from, to]) => [to, from]))
  return [
    ...treeEntries('/etc/apt', { at: 'etc/apt', keep: readable('/etc/apt') }),
    ...(existsSync(LISTS) ? treeEntries(LISTS, { at: LISTS.slice(1) }) : []),
    textEntry('var/lib/dpkg/status', ''),
    textEntry('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n'),
    textEntry('etc/group', 'root:x:0:\n'),
    ...[...found].map(([to, from]) => fileEntry(realpathSync(from), to, 0o644)),
  ]
}

/** Not what an administrator has switched off by a broken link. */
const readable =
  (folder: string) =>
  (path: string): boolean =>
    existsSync(join(folder, path))

const textEntry = (path: string, text: string): Entry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: Buffer.from(text),
})

const fileEntry = (file: string, path: string, mode: number): Entry => ({
  type: 'file',
  path,
  mode,
  content: { file, size: statSync(file).size },
})
