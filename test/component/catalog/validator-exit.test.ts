import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('a validator keeps no process alive', async () => {
  const source = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url))
  const program = `
    import { openValidator } from ${source('catalog/validation/open-validator.ts')}
    import { systemClock } from ${source('platform/core/time/clock.ts')}
    const validator = openValidator({ clock: systemClock, allowLoopback: false, timeLimitMs: 20_000 })
    console.log(JSON.stringify(await validator.validate({ type: 'object' }, {})))`
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stdout)).toEqual({ ok: true })
})
