import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tarOf } from '../../../src/kubernetes/plugin/report/tar.ts'

test('tar unpacks what was archived, with names that are longer than its first field', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tar-'))
  try {
    const long = `report/${'pod-with-a-long-name/'.repeat(4)}facilitator.previous.container.log`
    const files = [
      { path: 'report/empty', text: '' },
      { path: long, text: `${'line\n'.repeat(300)}é` },
    ]
    execFileSync('tar', ['-xf', '-', '-C', folder], { input: tarOf(files, 1_790_000_000_000) })
    for (const { path, text } of files) {
      expect(readFileSync(join(folder, path), 'utf8')).toBe(text)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
