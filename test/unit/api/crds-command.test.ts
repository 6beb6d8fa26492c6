import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'

const run = promisify(execFile)

test('svc crds prints the committed definitions, as documents of one stream', async () => {
  const { stdout } = await run(process.execPath, [svcProgram(), 'crds'])

  const files = ['crds/x402.svc.dev_facilitators.yaml', 'crds/x402.svc.dev_channelpools.yaml']
  expect(stdout).toBe(files.map((file) => readFileSync(file, 'utf8')).join('---\n'))
})
