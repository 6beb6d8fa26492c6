import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** `npx svc` downloads a stranger's package outside a clone, so only the page that says so names it. */
const WARNING = 'Do not type `npx svc`: outside the clone it downloads'

test('no page and no message tells a person to type npx svc', () => {
  const files = globSync(['README.md', 'docs/**/*.md', 'src/**/*.ts', 'tools/**/*.ts', 'Makefile'])
  expect(files.length).toBeGreaterThan(100)
  const found = files.filter((file) =>
    readFileSync(file, 'utf8').replaceAll(WARNING, '').includes('npx svc'),
  )
  expect(found).toEqual([])
})
