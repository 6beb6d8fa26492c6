import { expect, test } from 'vitest'
import { startPageDemo } from './page-demo.ts'
import { typeCatalog } from './typed-catalog.ts'
import { typeFirstSections } from './typed-getting-started.ts'
import { expectAsShown, typeGuide } from './typed-readme.ts'

/*
 * The commands of the pages that a new user types beside `make run`: one demo for all. The catalog comes first, because its page
 * shows what stands there after the payments of the demo; then the guide, which shows the balances after one more payment.
 */

test('make run prints what the README shows, and the commands of the guide and of two pages work beside it', {
  timeout: 240_000,
}, async () => {
  await using demo = await startPageDemo()
  expectAsShown(demo)
  await typeCatalog(demo)
  await typeGuide(demo)
  await typeFirstSections(demo)

  const { terminal } = demo
  terminal.pressCtrlC()
  expect((await terminal.ended).output).toContain('Stopping.')
  expect(terminal.output).not.toMatch(/^\s+at /m)
})
