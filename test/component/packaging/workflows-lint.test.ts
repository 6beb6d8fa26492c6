import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { actionlint } from '../../../tools/release/go-tools.ts'
import type { Tool } from '../../cluster/support/tools.ts'

const run = promisify(execFile)

/** What actionlint finds in the workflows of a folder; nothing when all is well. */
async function findings(program: string, folder: string): Promise<string> {
  // Without shellcheck and pyflakes, which a machine may have or not. Each step is one command anyway.
  const flags = ['-shellcheck=', '-pyflakes=', '-no-color', '-oneline']
  const files = globSync('.github/workflows/*.yml', { cwd: folder })
  const found = await run(program, [...flags, ...files], { cwd: folder }).catch((error) => error)
  return `${found.stdout}${found.stderr}`
}

describe('actionlint', () => {
  let tool: Tool
  let folder: string

  beforeAll(async () => {
    tool = await actionlint()
    folder = await mkdtemp(join(tmpdir(), 'svc-workflows-'))
    await cp('.github', join(folder, '.github'), { recursive: true })
    // actionlint knows the inputs of an action by its major version, not by the commit of a pin.
    for (const name of globSync('**/.github/**/*.yml', { cwd: folder })) {
      const path = join(folder, name)
      const text = await readFile(path, 'utf8')
      await writeFile(path, text.replaceAll(/@[0-9a-f]{40} # (v\d+)\S*/g, '@$1'))
    }
    // It looks for the folder .git to find the actions of the repository.
    await run('git', ['init', '--quiet', folder])
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('finds nothing in the workflows', async ({ skip }) => {
    if ('missing' in tool) return skip(tool.missing)
    await expect(findings(tool.path, folder)).resolves.toBe('')
  })

  test('would find an input that an action lacks, and a job that does not exist', async ({
    skip,
  }) => {
    if ('missing' in tool) return skip(tool.missing)
    const path = join(folder, '.github/workflows/broken.yml')
    const step = '- { uses: ./.github/actions/set-up, with: { caches: "false" } }'
    const job = `{ needs: gone, runs-on: ubuntu-24.04, steps: [${step.slice(2)}] }`
    await writeFile(path, `name: broken\non: push\njobs:\n  one: ${job}\n`)
    const found = await findings(tool.path, folder)
    expect(found).toContain('"gone" which does not exist')
    expect(found).toContain('input "caches" is not defined')
  })
})
