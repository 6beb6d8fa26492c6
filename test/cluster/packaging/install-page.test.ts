import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { startCluster } from '../support/cluster.ts'
import { helm, kubectl } from '../support/tools.ts'

const run = promisify(execFile)
const root = new URL('../../../', import.meta.url).pathname
const page = readFileSync(`${root}docs/install.md`, 'utf8')

/** The blocks of a section, by the language they are written in. */
const blocks = (section: string, language: string): readonly string[] => {
  const [, text = ''] = page.split(`\n## ${section}\n`)
  const [body = ''] = text.split('\n## ')
  return [...body.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block)
}

/** The paths of helm and kubectl, or why one is missing. */
async function programs(): Promise<readonly string[] | string> {
  const tools = [await helm(), await kubectl()]
  const missing = tools.flatMap((tool) => ('missing' in tool ? [tool.missing] : []))
  return missing[0] ?? tools.flatMap((tool) => ('path' in tool ? [tool.path] : []))
}

describe('the installation page', () => {
  test('has commands that work in their order', { timeout: 240_000 }, async ({ skip }) => {
    if (inject('cluster').kind !== 'harness') return skip('it takes a cluster of its own')
    const paths = await programs()
    if (typeof paths === 'string') return skip(paths)
    await using cluster = await startCluster()
    const folder = await mkdtemp(join(tmpdir(), 'svc-install-'))
    try {
      for (const [at, name] of ['helm', 'kubectl'].entries()) {
        await symlink(paths[at] ?? '', join(folder, name))
      }
      for (const name of ['charts', 'manifests'])
        await symlink(join(root, name), join(folder, name))
      await writeFile(join(folder, 'facilitator.yaml'), blocks('A facilitator', 'yaml')[0] ?? '')
      const env = {
        PATH: `${folder}:${process.env['PATH']}`,
        HOME: folder,
        KUBECONFIG: cluster.kubeconfigPath,
      }
      const type = async (commands: string) =>
        (await run('bash', ['-euc', commands], { cwd: folder, env })).stdout

      const [byHelm = '', byKubectl = '', inNamespaces = ''] = blocks('The operator', 'sh')
      expect(await type(byHelm)).toContain('Succeeded')
      const [prepare = '', make = ''] = blocks('A facilitator', 'sh')
      await type(prepare)
      await type(inNamespaces)
      // Simulated nodes run no operator, so nothing becomes ready.
      const made = await type(make.replace(/^.* wait .*$/m, ''))
      expect(made).toMatch(/channelpool\S+\/testnet/)
      expect(made).toMatch(/facilitator\S+\/payments/)
      for (const block of blocks('Upgrade', 'sh')) await type(block)
      for (const block of blocks('Uninstall', 'sh')) await type(block)
      expect(await type('kubectl get crd --output name')).not.toContain('x402')
      await type(byKubectl)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
