import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { test } from './support/cluster-test.ts'
import { helm, kubectl, prometheus, promtool, type Tool } from './support/tools.ts'

const run = promisify(execFile)

describe('the tools', () => {
  test.for<{ name: string; tool: () => Promise<Tool>; args: string[]; output: RegExp }>([
    { name: 'kubectl', tool: kubectl, args: ['version', '--client'], output: /Client Version: v1/ },
    { name: 'helm', tool: helm, args: ['version', '--short'], output: /^v4\.3/ },
    { name: 'promtool', tool: promtool, args: ['--version'], output: /promtool, version/ },
    { name: 'prometheus', tool: prometheus, args: ['--version'], output: /prometheus, version/ },
  ])('include $name', async ({ tool, args, output }, { skip }) => {
    const found = await tool()
    if ('missing' in found) return skip(found.missing)
    const { stdout, stderr } = await run(found.path, args)

    expect(`${stdout}${stderr}`).toMatch(output)
  })
})
