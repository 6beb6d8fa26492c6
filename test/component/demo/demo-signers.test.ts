import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { DemoProcess, ownPlace } from './demo-process.ts'

const missing = await noSoftHsm()

it("pays with a sponsor's key in a PKCS#11 token, which is gone when the demo has ended", async ({
  skip,
}) => {
  if (missing !== undefined) skip(missing)
  await using place = await ownPlace()
  const flags = ['--signer', 'pkcs11', '--store', 'memory', ...place.flags]
  await using demo = new DemoProcess('demo', '--once', ...flags)
  const { code, output } = await demo.ended

  expect(code, output).toBe(0)
  const [, signer] = /✓ signer +PKCS#11 token, key of (G\S+)/.exec(output) ?? []
  expect(output).toMatch(/✓ metered payment/)
  expect(output).toMatch(new RegExp(`sponsor +${signer} .* XLM {2}→ `))
  expect(await readdir(join(place.folder, 'demo'))).not.toContain('signer')
})
