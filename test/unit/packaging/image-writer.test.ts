import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isUsed } from '../../../tools/image/libraries.ts'
import { type Image, writeImage } from '../../../tools/image/oci.ts'
import { treeEntries } from '../../../tools/image/tree.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-oci-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const longName = `${'long/'.repeat(30)}name.js`

/** The same files, written in another order, at another time and with another umask. */
function checkout(name: string, files: readonly string[], umask: number): string {
  const root = join(folder, name)
  for (const path of files) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), path)
    chmodSync(join(root, path), 0o666 & ~umask)
    utimesSync(join(root, path), umask, umask)
  }
  return root
}

const image = (root: string): Image => ({
  name: 'registry.example/a:1',
  architecture: 'amd64',
  layers: [{ comment: 'all', entries: treeEntries(root, { at: 'app' }) }],
  config: { user: '10001:10001', ports: [8080], env: { A: 'b' } },
})

describe('the writer of images', () => {
  test.each([false, true])(
    'writes the same bytes for the same content (gzip: %s)',
    async (gzip) => {
      const files = ['a', 'b/c', longName, 'ä']
      const one = checkout('one', files, 0o022)
      const other = checkout('elsewhere/other', files.toReversed(), 0o077)
      const written = await writeImage(join(folder, '1.tar'), image(one), { gzip })
      const again = await writeImage(join(folder, '2.tar'), image(other), { gzip })
      expect(again.digest).toBe(written.digest)
      expect(readFileSync(join(folder, '2.tar'))).toEqual(readFileSync(join(folder, '1.tar')))
    },
  )

  test('notices other content', async () => {
    const written = await writeImage(join(folder, '1.tar'), image(checkout('one', ['a'], 0)))
    const again = await writeImage(join(folder, '2.tar'), image(checkout('two', ['b'], 0)))
    expect(again.digest).not.toBe(written.digest)
  })

  test('refuses a file that is in a layer twice', async () => {
    const entry = { type: 'file', path: 'a', mode: 0o644, content: Buffer.from('') } as const
    const twice: Image = { ...image(folder), layers: [{ comment: '', entries: [entry, entry] }] }
    await expect(writeImage(join(folder, '1.tar'), twice)).rejects.toThrow(
      'a is in the layer twice',
    )
  })
})

test.each([
  ['a/index.js', true],
  ['a/index.mjs', true],
  ['a/package.json', true],
  ['a/LICENSE.md', true],
  ['a/b.node', true],
  ['a/index.d.ts', false],
  ['a/src/index.ts', false],
  ['a/index.js.map', false],
  ['a/README.md', false],
  ['.package-lock.json', false],
  ['@stellar/stellar-sdk/dist', false],
  ['@stellar/stellar-sdk/lib/esm/index.js', true],
  ['@kubernetes/client-node/dist/index.js', true],
  ['koffi/src/koffi/index.js', true],
  ['koffi/src/koffi/src/static.js', true],
  ['koffi/src/koffi/src/call.cc', false],
  ['koffi/vendor', false],
  ['@koromix/koffi-linux-x64/linux_x64', true],
  ['@koromix/koffi-linux-x64/musl_x64', false],
])('of a library, %s is in the image: %s', (path, used) => {
  expect(isUsed(path)).toBe(used)
})
