/**
 * `make e2e`: runs the tests in test/e2e on real nodes, in namespaces of their own. Prints the reason and ends
 * with code 0 where the machine cannot. See docs/e2e.md.
 *
 *   node tools/e2e/run.ts [--keep] [FILES...]
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { harness, helm, prometheus } from '../../test/cluster/support/tools.ts'
import { buildImages } from '../../test/e2e/images/build.ts'
import { nodeTools } from '../../test/e2e/support/node-tools.ts'
import { type NodeWorld, WORLD_VARIABLE } from '../../test/e2e/support/node-world.ts'
import { scrapeConfigTool } from '../../test/e2e-alerts/support/scrape-config.ts'
import { makeCgroups, removeCgroups } from './cgroups.ts'
import { nodePrograms } from './programs.ts'

const NODES = ['n1', 'n2']
const namespaces = ['--net', '--mount', '--pid', '--ipc', '--propagation=private']

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
process.exitCode = await main()

async function main(): Promise<number> {
  if (process.platform !== 'linux') return skip('the nodes need Linux', 'Run it on a Linux machine')
  if (process.getuid?.() !== 0)
    return skip('the nodes need root', 'Run it as root, for example with sudo')
  const programs = await nodePrograms()
  if ('missing' in programs) return skip(programs.missing, 'Install it')
  const [control, tools, charts] = [await harness(), await nodeTools(), await helm()]
  if ('missing' in control)
    return skip(control.missing, 'Install Go, or mend the access to its modules')
  if ('missing' in tools)
    return skip(tools.missing, 'Install Go, or mend the access to its modules')
  if ('missing' in charts)
    return skip(charts.missing, 'Install Go, or mend the access to its modules')

  // For the tests of scraping: nothing can be fetched inside.
  await Promise.all([scrapeConfigTool(), prometheus()])
  const folder = await mkdtemp(join(tmpdir(), 'svc-e2e-'))
  try {
    const cgroup = await makeCgroups(NODES)
    const world: NodeWorld = {
      folder,
      cgroup,
      cniPlugins: programs.cniPlugins,
      keep: values.keep,
      images: values['without-images'] ? [] : await buildImages(join(folder, 'images')),
    }
    return await enter(tools.init, programs.path, world)
  } finally {
    await removeCgroups()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Ends when the tests do. The world ends with this process, whose end closes the world's standard input. */
async function enter(init: string, path: string, world: NodeWorld): Promise<number> {
  const pattern = values['test-name-pattern']
  const child = spawn(
    'unshare',
    [
      ...[...namespaces, '--fork', '--kill-child', init],
      ...[process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--config', values.config],
      ...(pattern === undefined ? [] : ['-t', pattern]),
      ...positionals,
    ],
    {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, PATH: path, [WORLD_VARIABLE]: JSON.stringify(world) },
      stdio: ['pipe', 'inherit', 'inherit'],
      // Ctrl-C reaches this process alone, which then ends the world.
      detached: true,
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.stdin.destroy())
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

function skip(reason: string, remedy: string): number {
  process.stdout.write(`make e2e is skipped: ${reason}. ${remedy}, then run make e2e again.\n`)
  process.stdout.write('0 passed, 0 failed, 1 skipped\n')
  return 0
}
