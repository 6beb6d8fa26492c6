import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { output } from '../../../tools/image/command.ts'
import { buildPackage } from '../../../tools/package/build.ts'
import { startLocalRegistry } from './local-registry.ts'

/** The package in a project of its own, as npm installed it. */
export interface Installed {
  /** An ES module project; its node_modules has the package and nothing else of the clone. */
  readonly folder: string
  /** The tarball. */
  readonly tarball: string
  /** What npm has to have in its environment to install without the internet. */
  readonly npm: Readonly<Record<string, string>>
}

export interface InstalledPackage extends Installed, AsyncDisposable {}

/** Builds the tarball, and installs it with npm in an empty folder, without the internet. */
export async function installPackage(): Promise<InstalledPackage> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-installed-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(parent, { recursive: true, force: true }))
  const registry = opened.use(await startLocalRegistry())
  const { file: tarball } = await buildPackage(join(parent, 'packed'))
  const folder = await mkdtemp(join(parent, 'project-'))
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  const npm = {
    npm_config_registry: registry.url,
    // Shared by all installations, so that each package is packed once.
    npm_config_cache: join(parent, 'cache'),
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  // npm runs with the Node that runs the tests, which may be newer than the machine's.
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  await output('npm', ['install', tarball], { cwd: folder, env: { ...npm, PATH } })
  const kept = opened.move()
  return { folder, tarball, npm, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
