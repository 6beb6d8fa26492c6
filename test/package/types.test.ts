import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, inject, it } from 'vitest'
import { apiReport } from '../../tools/package/declarations.ts'
import { entries } from '../../tools/package/entries.ts'
import { typeChecksBeside } from './types.ts'

const { folder, tarball } = inject('installed')
const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(tarball))

it('docs/package-api.md shows the interface as it is; make generate writes it', () => {
  expect(readFileSync('docs/package-api.md', 'utf8')).toBe(
    apiReport(join(folder, 'node_modules/stellar-x402')),
  )
})

it('publint finds nothing', async () => {
  const { messages, pkg } = await publint({
    pack: { tarball: bytes().buffer },
    strict: true,
  })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

it('are-the-types-wrong finds nothing for programs that are ES modules', async () => {
  const checked = await checkPackage(createPackageFromTarballData(bytes()))
  if (!checked.types) throw new Error('the package has no types')
  const { problems } = checked
  // `require` of an ES module works in every Node that the package promises; older ones know no `exports`.
  const real = problems.filter(
    (problem) =>
      problem.kind !== 'CJSResolvesToESM' &&
      !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
  )
  expect(real).toEqual([])
  expect(Object.keys(checked.entrypoints).filter((name) => name !== './package.json')).toEqual(
    Object.keys(entries),
  )
})

typeChecksBeside('stock-newest')
