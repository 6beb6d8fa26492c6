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
}

export interface InstalledPackage extends Installed, AsyncDisposable {}

/** Builds the tarball, and installs it with npm in an empty folder, without the internet. */
export async function installPackage(): Promise<InstalledPackage> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-installed-'))
  const remove = () => rm(parent, { recursive: true, force: true })
  try {
    const { file: tarball } = await buildPackage(join(parent, 'packed'))
    const folder = await mkdtemp(join(parent, 'project-'))
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    await using registry = await startLocalRegistry()
    await output('npm', ['install', tarball, '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: {
        // npm runs with the Node that runs the tests, which may be newer than the machine's.
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        npm_config_registry: registry.url,
        npm_config_cache: join(parent, 'cache'),
      },
    })
    return { folder, tarball, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}
