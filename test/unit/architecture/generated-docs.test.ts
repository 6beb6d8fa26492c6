import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { generatedDocs } from '../../../tools/generate/generated-files.ts'

describe('generated pages', () => {
  test.each(Object.entries(generatedDocs))('%s is up to date with the code', (path, make) => {
    const committed = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
    expect(committed, 'run `make generate` and commit').toBe(make())
  })
})
