import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declareTypes } from '../package/compile.ts'
import { apiReport } from '../package/declarations.ts'
import { COMPILED } from '../package/entries.ts'

/** docs/package-api.md, from declarations that are compiled for it alone. Throws an Error with what tsc printed. */
export async function packagePage(): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), 'svc-package-page-'))
  try {
    const compiled = join(stage, COMPILED)
    await mkdir(compiled, { recursive: true })
    await declareTypes(compiled)
    return apiReport(stage)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}
