import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { changedSinceBuild } from '../../../support/build-manifest.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const host = here('../../../../src/localnet/host')
const contracts = here('../../../fixtures/contracts')
const hostManifest = 'host.wasm.sources.sha256'

test('host.wasm was built from its sources', () => {
  expect(changedSinceBuild(host, hostManifest, ['check-rebuild.sh'])).toEqual([])
})

test('the contract fixtures were built from their sources', () => {
  expect(changedSinceBuild(contracts, 'contracts.sha256', [])).toEqual([])
})

describe('a source tree that changed after its build', () => {
  const copy = mkdtempSync(join(tmpdir(), 'host-'))
  afterAll(() => rmSync(copy, { recursive: true }))

  test('is reported file by file', () => {
    cpSync(host, copy, { recursive: true, filter: (path) => !path.includes('target') })
    writeFileSync(join(copy, 'host.wasm'), 'another module')
    writeFileSync(join(copy, 'src/new.rs'), '')
    rmSync(join(copy, 'src/ttl.rs'))
    expect(changedSinceBuild(copy, hostManifest, ['check-rebuild.sh'])).toEqual([
      'host.wasm',
      'src/new.rs',
      'src/ttl.rs',
    ])
  })
})
