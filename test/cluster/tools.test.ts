import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { test } from './support/cluster-test.ts'
import { helm, kubectl, prometheus, promtool, type Tool } from './support/tools.ts'

const run = promisify(execFile)

describe('the tools', () => {
  test.for<{ name: string; tool: () => Promise<Tool>; args: string[]; says: RegExp }>([
    { name: 'kubectl', tool: kubectl, args: ['version', '--client'], says: /Client Version: v1/ },
    { name: 'helm', tool: helm, args: ['version', '--short'], says: /^v4\.3/ },
    { name: 'promtool', tool: promtool, args: ['--version'], says: /promtool, version/ },
    { name: 'prometheus', tool: prometheus, args: ['--version'], says: /prometheus, version/ },
  ])('include $name', async ({ tool, args, says }, { skip }) => {
    const found = await tool()
    if ('missing' in found) return skip(found.missing)
    const { stdout, stderr } = await run(found.path, args)

    expect(`${stdout}${stderr}`).toMatch(says)
  })
})
