import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../../examples/signer-sidecar/config.ts'
import { refusalCodes } from '../../../../examples/signer-sidecar/policy/refusal.ts'
import { factsOf } from '../../../support/source-facts.ts'

const folder = 'examples/signer-sidecar'
const sources = globSync(`${folder}/**/*.ts`, { exclude: ['**/node_modules/**'] })
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

it('imports its own files and its two packages, in the versions of the facilitator', () => {
  const imported = sources.flatMap((file) =>
    factsOf(file).imports.map(({ what }) =>
      what.startsWith('.') ? join(dirname(file), what) : what,
    ),
  )
  const others = new Set(
    imported.filter((each) => !each.startsWith('node:') && !each.startsWith(`${folder}/`)),
  )
  const { dependencies } = read(`${folder}/package.json`)
  expect([...others].toSorted()).toEqual(Object.keys(dependencies).toSorted())
  expect(read('package.json').dependencies).toMatchObject(dependencies)
})

it('has an example of its configuration that it accepts', () => {
  expect(loadConfig(`${folder}/config.example.json`)).toMatchObject({
    policy: { maxXlmPerHour: 200_000_000n, recipients: [], allowContractDeploy: false },
  })
})

it('refuses with each code of its table, and tests name each', () => {
  const textOf = (files: readonly string[]) =>
    files.map((file) => readFileSync(file, 'utf8')).join()
  const code = textOf(sources.filter((file) => !file.endsWith('refusal.ts')))
  const tests = textOf(globSync('test/unit/signing/sidecar/*.test.ts'))
  const codes = Object.keys(refusalCodes)
  expect(codes.filter((each) => !code.includes(`'${each}'`))).toEqual([])
  expect(codes.filter((each) => !tests.includes(`'${each}'`))).toEqual([])
})
