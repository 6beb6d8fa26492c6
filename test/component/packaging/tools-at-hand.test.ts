import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { builtGoTool, type GoTool } from '../../cluster/support/go-build.ts'
import { atHand } from '../../cluster/support/means.ts'
import { harness } from '../../cluster/support/tools.ts'

describe('a program that is not at hand', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-tools-'))
  })
  afterEach(() => vi.unstubAllEnvs())
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is not compiled for a test: the reason names what builds it, and how long that takes', async ({
    skip,
  }) => {
    vi.stubEnv('XDG_CACHE_HOME', folder)
    const tool: GoTool = {
      name: 'never-built',
      folder,
      target: '.',
      ldflags: '',
      duration: '2 minutes',
    }
    const found = await builtGoTool(tool)
    if ('missing' in found && /built (with|on)/.test(found.missing)) return skip(found.missing)
    expect(found).toEqual({
      missing: 'never-built is not built; `make test-cluster` builds it in about 2 minutes',
    })
  })

  test('is not the API server alone: the reason names the folder that lacks the controllers', async () => {
    vi.stubEnv('KUBEBUILDER_ASSETS', folder)
    await writeFile(join(folder, 'kube-apiserver'), '')
    const means = { ...atHand, goTool: async () => ({ missing: 'it is not built' }) }
    await expect(harness(means)).resolves.toEqual({
      missing: `it is not built; ${folder} of KUBEBUILDER_ASSETS has no cluster-harness, and an API server alone has no controllers`,
    })
    await writeFile(join(folder, 'cluster-harness'), '')
    await expect(harness(means)).resolves.toEqual({ path: join(folder, 'cluster-harness') })
  })
})
