import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runHere } from '../run-here.ts'

test('svc crds prints the committed definitions, as documents of one stream', async () => {
  const { code, out } = await runHere({}, 'crds')

  const files = ['crds/x402.svc.dev_facilitators.yaml', 'crds/x402.svc.dev_channelpools.yaml']
  expect({ code, out }).toEqual({
    code: 0,
    out: files.map((file) => readFileSync(file, 'utf8')).join('---\n'),
  })
})
