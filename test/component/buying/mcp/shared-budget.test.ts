import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-budget-'))
  file = join(folder, 'budget.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (limit: bigint) => new Budget({ file, limit, clock: { now: () => Date.now() } })

/** A process of `spend.ts` that is ready. */
async function spender(limit: bigint, units: bigint, mode: 'spend' | 'hold') {
  const program = fileURLToPath(new URL('spend.ts', import.meta.url))
  const args = [program, file, String(limit), String(units), mode]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const line = async () => String((await lines.next()).value)
  expect(await line()).toBe('ready')
  return {
    line,
    go: () => child.stdin.write('go\n'),
    kill: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe('processes that share a budget', () => {
  test('spend it to the last payment, and not one more', async () => {
    const processes = await Promise.all([1, 2, 3].map(() => spender(500n, 7n, 'spend')))
    for (const each of processes) each.go()
    const counts = await Promise.all(processes.map(async ({ line }) => Number(await line())))
    const payments = counts.reduce((sum, each) => sum + each, 0)
    using budget = open(500n)
    expect(budget.state().spent).toBe(BigInt(payments) * 7n)
    expect(budget.state().left).toBeLessThan(7n)
    for (const each of processes) await each.kill()
  })

  test('leave what they reserved counted when they are killed', async () => {
    for (const spent of [40n, 80n]) {
      const each = await spender(100n, 40n, 'hold')
      each.go()
      expect(await each.line()).toBe('reserved')
      await each.kill()
      using budget = open(100n)
      expect(budget.state().spent).toBe(spent)
    }
    const last = await spender(100n, 40n, 'hold')
    last.go()
    expect(await last.line()).toBe('refused')
    await last.kill()
  })
})
