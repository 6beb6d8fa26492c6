import { lstatSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildClone, imageOrSkip } from './support/built-image.ts'
import { listTree } from './support/unpacked.ts'

const TEN_MINUTES_MS = 600_000

test('two clones with the umasks 022 and 077 make one digest, each with its own cache', {
  timeout: TEN_MINUTES_MS,
}, async (context) => {
  const { folder, privateClone, built } = imageOrSkip(context)
  expect(lstatSync(join(privateClone, 'package.json')).mode & 0o777).toBe(0o600)
  const cache = join(folder, 'empty-cache')
  const again = await buildClone(privateClone, join(folder, 'again.tar'), { umask: '077', cache })
  await rm(cache, { recursive: true })
  await rm(again.file)
  expect(again.digest).toBe(built.digest)
})

test('the image has compiled code, and root owns all that others can read', (context) => {
  const { root } = imageOrSkip(context)
  const tree = [...listTree(root)]
  const compiled = tree.filter(([path]) => path.startsWith('app/node_modules/.cache/svc/v'))
  expect(compiled.length).toBeGreaterThan(1000)
  const own = tree.filter(([path]) => path !== 'root')
  const usual = /^(100644|100755|120777|40755|41777) 0:0$/
  expect(own.filter(([, { access }]) => !usual.test(access))).toEqual([])
})
