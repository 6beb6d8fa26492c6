import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-draft-'))
  path = join(folder, 'file.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a file is never seen empty or cut, when its process is killed within the writing', async () => {
  writeFileSync(path, 'before')
  const module = new URL('../../../../src/platform/core/files/draft-file.ts', import.meta.url)
  const program = `
    import { replaceFile } from ${JSON.stringify(module.href)}
    await replaceFile(${JSON.stringify(path)}, (async function* () {
      yield Buffer.from('half of what')
      process.stdout.write('writing')
      setInterval(() => undefined, 1_000)
      await new Promise(() => undefined)
    })())`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'close')
  expect(readFileSync(path, 'utf8')).toBe('before')
})
