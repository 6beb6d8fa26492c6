import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DraftFile, replaceFile } from '../../../../../src/platform/core/files/draft-file.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-draft-'))
  path = join(folder, 'file.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a draft is put in its place whole, and leaves nothing else behind', async () => {
  {
    await using draft = await DraftFile.open(path, 0o600)
    await draft.write('first')
    expect(readdirSync(folder)).not.toContain('file.json')
    expect(await draft.create()).toBe(true)
  }
  expect(readdirSync(folder)).toEqual(['file.json'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await replaceFile(path, 'second')
  expect(readdirSync(folder)).toEqual(['file.json'])
  expect(readFileSync(path, 'utf8')).toBe('second')
})

test('a draft replaces no file that came meanwhile, unless it is asked to', async () => {
  await using draft = await DraftFile.open(path)
  await draft.write('mine')
  writeFileSync(path, 'of another')
  expect(await draft.create()).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('of another')
  await draft.replace()
  expect(readFileSync(path, 'utf8')).toBe('mine')
})

test('a draft that is not put in its place is taken away', async () => {
  {
    await using draft = await DraftFile.open(path)
    await draft.write('never')
  }
  expect(readdirSync(folder)).toEqual([])
})
