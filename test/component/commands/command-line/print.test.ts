import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/* What a program that prints is told when its output fails; the failures are real. */

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-print-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const module = new URL('../../../../src/commands/command-line/print.ts', import.meta.url).href
/** Prints 3,000 characters, and then says on standard error what it was told. */
const program = `
  import { printWhole } from ${JSON.stringify(module)}
  // A file may not grow above the limit: then the system sends this signal.
  process.on('SIGXFSZ', () => undefined)
  const lost = await printWhole('x'.repeat(3_000))
  await new Promise(setImmediate)
  console.error(lost?.code ?? 'written')`

/** @param redirected where the shell leads the output, after what it does before */
const run = (redirected: (node: string) => string) =>
  spawnSync(
    'bash',
    ['-c', redirected(`"${process.execPath}" --input-type=module --eval "$PROGRAM"`)],
    { encoding: 'utf8', env: { ...process.env, PROGRAM: program } },
  )

test('a file has the whole text', () => {
  const file = join(folder, 'out')
  expect(run((node) => `${node} >'${file}'`)).toMatchObject({ status: 0, stderr: 'written\n' })
  expect(readFileSync(file, 'utf8')).toBe('x'.repeat(3_000))
})

test('a disk that is full is an error', () => {
  expect(run((node) => `${node} >/dev/full`)).toMatchObject({ status: 0, stderr: 'ENOSPC\n' })
})

test('a file that takes a part only is an error', () => {
  const file = join(folder, 'out')
  const ran = run((node) => `ulimit -f 1; ${node} >'${file}'`)
  expect(ran).toMatchObject({ status: 0, stderr: 'EFBIG\n' })
})

test('a reader that has gone is an error', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const said: string[] = []
  child.stderr.on('data', (part: Buffer) => said.push(part.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect([code, said.join('')]).toEqual([0, 'EPIPE\n'])
})
