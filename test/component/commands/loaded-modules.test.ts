import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '../../support/image-files.ts'

/* What a command loads is most of its memory and of its start. */

/** Prints the URL of each module as it is loaded, on standard error. */
const listing = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (writeSync(2, url + '\\n'), next(url, context)) })
`)}`

async function librariesOf(args: readonly string[]): Promise<Set<string>> {
  const script = join(projectRoot, 'src/commands/svc.ts')
  const { stderr } = await promisify(execFile)(process.execPath, [
    ...['--import', listing, script],
    ...args,
  ])
  expect(stderr).toContain('/src/commands/main.ts')
  const names = [...stderr.matchAll(/\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g)]
  return new Set(names.map(([, name = '']) => name))
}

test.each([[['--version']], [['--help']], [['pay', '--help']]])(
  'svc %s loads no library',
  async (args) => {
    expect(await librariesOf(args)).toEqual(new Set())
  },
)

test('svc serve --help loads the library of Stellar', async () => {
  expect(await librariesOf(['serve', '--help'])).toContain('@stellar/stellar-sdk')
})
