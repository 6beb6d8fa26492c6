import { existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { kubectl } from '../../test/cluster/support/tools.ts'
import { buildImages } from '../../test/e2e/images/build.ts'
import { makeCgroups, removeCgroups, removeStaleCgroups } from './cgroups.ts'
import { endWithoutTests, REQUIRED_VARIABLE } from './end-without-tests.ts'
import { enterWorld } from './enter.ts'
import { nodePrograms } from './programs.ts'
import { builtTools, reasonAgainstNodes } from './requirements.ts'

/**
 * `make e2e`: runs the tests in test/e2e on real nodes, in namespaces of their own. Prints the reason and ends
 * with code 0 where the machine cannot. See docs/e2e.md.
 *
 *   node tools/e2e/run.ts [--keep] [-t PATTERN] [FILES...]
 */

const NODES = ['n1', 'n2']
/** The name of a run's folder has its process, so that a later run knows those whose run was killed. */
const folderPrefix = `svc-e2e-${process.pid}-`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'boolean', default: false },
    config: { type: 'string', default: 'tools/e2e/vitest.config.ts' },
    // For a configuration whose tests bring their own.
    'without-images': { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string', short: 't' },
  },
})
const started = performance.now()
const say = (text: string) =>
  process.stdout.write(
    `${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`,
  )

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130))
process.exit(await main())

async function main(): Promise<number> {
  const reason = await reasonAgainstNodes()
  if (reason !== undefined) return skip(reason)
  const tools = await builtTools()
  if ('missing' in tools)
    return skip(`${tools.missing}. Install Go, or mend the access to its modules`)
  say('programs built')

  removeStaleFolders()
  removeStaleCgroups()
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  // Whatever ends this process, unless it is killed: then the next run does it.
  process.on('exit', () => {
    removeCgroups()
    rmSync(folder, { recursive: true, force: true })
  })
  const programs = await nodePrograms(join(folder, 'programs'))
  if ('missing' in programs) return skip(programs.missing)
  const images = values['without-images'] ? [] : await buildImages(join(folder, 'images'))
  say('images built')
  const { cniPlugins } = programs
  const world = { folder, cgroup: makeCgroups(NODES), cniPlugins, keep: values.keep, images }
  const pattern = values['test-name-pattern']
  const code = await enterWorld(world, {
    init: tools.init,
    kubectl: await kubectl(),
    path: programs.path,
    vitest: [
      ...['run', '--config', values.config],
      ...(pattern === undefined ? [] : ['-t', pattern]),
      ...positionals,
    ],
  })
  say('all in all')
  return code
}

function skip(reason: string): number {
  const required = process.env[REQUIRED_VARIABLE]
  const { text, exitCode } = endWithoutTests('make e2e', reason, required)
  process.stdout.write(text)
  return exitCode
}

function removeStaleFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^svc-e2e-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}
