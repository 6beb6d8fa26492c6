import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cachedFolder } from './cache.ts'
import { output } from './command.ts'

/** A Debian package, unpacked. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  /** SHA-256 of the .deb, from the signed package lists. */
  readonly sha256: string
  readonly url: string
  /** The fields that describe the package (deb-control(5)). */
  readonly control: string
  /** The folder of its files. */
  readonly root: string
}

interface Candidate {
  readonly url: string
  readonly file: string
  readonly sha256: string
}

/**
 * The newest versions that the machine's package lists name, downloaded without root: apt checks the lists' signature
 * and each package's hash. A machine without lists, or one of another architecture, fetches its own: 10 s.
 */
export async function debianPackages(
  names: readonly string[],
  architecture: 'amd64' | 'arm64',
): Promise<readonly DebianPackage[]> {
  const lists = await listOptions(names, architecture)
  const candidates = await candidatesOf(names, lists)
  const packages = await Promise.all(candidates.map((each) => unpacked(each, lists)))
  const missing = names.filter((name) => !packages.some((each) => each.name === name))
  if (missing.length > 0)
    throw new Error(`apt knows no package ${missing.join(', ')}. Does this machine run Debian?`)
  return packages.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Options of apt-get: none when the machine's own lists will do. */
async function listOptions(
  names: readonly string[],
  architecture: string,
): Promise<readonly string[]> {
  const own = (await output('dpkg', ['--print-architecture'])).trim()
  if (own === architecture) {
    const found = await candidatesOf(names, []).catch(() => [])
    if (found.length === names.length) return []
  }
  const today = new Date().toISOString().slice(0, 10)
  const folder = await cachedFolder('lists', `${architecture}-${today}`, async (work) => {
    const options = await settingsFor(work, architecture)
    await output('apt-get', [...options, '-qq', 'update'])
  })
  return settingsFor(folder, architecture)
}

async function settingsFor(folder: string, architecture: string): Promise<readonly string[]> {
  await mkdir(join(folder, 'lists', 'partial'), { recursive: true })
  await mkdir(join(folder, 'cache', 'archives', 'partial'), { recursive: true })
  return [
    `Dir::State::lists=${join(folder, 'lists')}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${join(folder, 'cache')}`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    // The locks need root, and no other process writes to these folders.
    'Debug::NoLocking=1',
  ].flatMap((setting) => ['-o', setting])
}

/** In an empty folder: apt-get leaves out what the folder holds. */
async function candidatesOf(
  names: readonly string[],
  lists: readonly string[],
): Promise<readonly Candidate[]> {
  const empty = await mkdtemp(join(tmpdir(), 'svc-image-'))
  try {
    const args = [...lists, 'download', '--print-uris', ...names]
    const lines = (await output('apt-get', args, { cwd: empty })).split('\n')
    return lines.flatMap((line) => {
      const found = /^'(\S+)' (\S+) \d+ SHA256:([0-9a-f]{64})$/.exec(line)
      return found ? [{ url: found[1]!, file: found[2]!, sha256: found[3]! }] : []
    })
  } finally {
    await rm(empty, { recursive: true })
  }
}

async function unpacked(
  { url, file, sha256 }: Candidate,
  lists: readonly string[],
): Promise<DebianPackage> {
  const [name = '', version = '', architecture = ''] = decodeURIComponent(
    file.replace(/\.deb$/, ''),
  ).split('_')
  const folder = await cachedFolder('debian', sha256, async (work) => {
    // apt writes as a user of its own, where there is one.
    await chmod(work, 0o755)
    await output('apt-get', [...lists, 'download', `${name}=${version}`], { cwd: work })
    const archive = join(work, file)
    if (!existsSync(archive)) throw new Error(`apt-get download left no ${file}. Try again.`)
    const sum = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex')
    if (sum !== sha256) throw new Error(`${file} has the SHA-256 ${sum} instead of ${sha256}.`)
    await output('dpkg-deb', ['-x', archive, join(work, 'root')])
    await output('dpkg-deb', ['-e', archive, join(work, 'control')])
    await rm(archive)
  })
  const control = await readFile(join(folder, 'control/control'), 'utf8')
  return { name, version, architecture, sha256, url, control, root: join(folder, 'root') }
}
