/**
 * `make e2e-upgrade`: pays while the operator and its Facilitators move from the previous version to the next one, to the one
 * after that, and back. Prints the reason and ends with code 0 where the machine cannot.
 *
 *   node tools/e2e-upgrade/run.ts [flags of tools/e2e/run.ts]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithoutTests, REQUIRED_VARIABLE } from '../e2e/end-without-tests.ts'
import { buildImage } from '../image/build.ts'
import { laterVersions } from './additions.ts'
import { type BuiltRelease, RELEASES_VARIABLE } from './built-releases.ts'
import { laterTree, previousTree, type Tree, versionOf } from './trees.ts'

const root = join(import.meta.dirname, '../..')

process.exitCode = await main()

async function main(): Promise<number> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return skip('the nodes need Linux and root')
  const folder = await mkdtemp(join(tmpdir(), 'svc-e2e-upgrade-'))
  try {
    const previous = await previousTree(root, join(folder, 'previous'))
    const { candidate, successor } = laterVersions(previous.version, versionOf(root))
    const trees = [
      previous,
      await laterTree(root, join(folder, 'candidate'), candidate),
      await laterTree(root, join(folder, 'successor'), successor),
    ]
    const built: BuiltRelease[] = []
    for (const tree of trees) built.push(await build(tree))
    return await test(built)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function build({ folder, version }: Tree): Promise<BuiltRelease> {
  const archive = `${folder}.tar`
  const image = `registry.example/stellar-x402:${version}`
  await buildImage({ tree: folder, version, out: archive, name: image })
  return { folder, version, image, archive }
}

async function test(built: readonly BuiltRelease[]): Promise<number> {
  const config = ['--config', 'tools/e2e-upgrade/vitest.config.ts', '--without-images']
  const child = spawn(process.execPath, ['tools/e2e/run.ts', ...config, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [RELEASES_VARIABLE]: JSON.stringify(built) },
  })
  // The child gets Ctrl-C from the terminal, too; this process ends after it.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

function skip(reason: string): number {
  const required = process.env[REQUIRED_VARIABLE]
  const { text, exitCode } = endWithoutTests('make e2e-upgrade', reason, required)
  process.stdout.write(text)
  return exitCode
}
