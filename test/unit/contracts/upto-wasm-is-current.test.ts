import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@stellar/stellar-sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { changedSinceBuild } from '../../support/build-manifest.ts'
import { projectRoot } from '../../support/image-files.ts'

const folder = join(projectRoot, 'contracts/upto')
/** They are no part of what is built. */
const notBuilt = ['check-rebuild.sh', 'rustfmt.toml']
const changed = (copy: string) =>
  changedSinceBuild(copy, 'upto.sha256', notBuilt).filter((file) => !file.startsWith('tests/'))

test('upto.wasm was built from its sources, by the toolchain that is named', () => {
  expect(changed(folder)).toEqual([])
  const { channel } =
    /channel = "(?<channel>[\d.]+)"/.exec(read('rust-toolchain.toml'))?.groups ?? {}
  expect(read('toolchain.txt')).toContain(`\nrelease: ${channel}\n`)
})

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

describe('a contract that changed after its build', () => {
  const copy = mkdtempSync(join(tmpdir(), 'upto-'))
  afterAll(() => rmSync(copy, { recursive: true }))

  test('is reported file by file', () => {
    cpSync(folder, copy, { recursive: true, filter: (path) => !path.includes('target') })
    for (const name of ['upto.wasm', 'src/lib.rs', 'toolchain.txt', 'Cargo.lock', 'build.sh']) {
      writeFileSync(join(copy, name), 'another')
    }
    writeFileSync(join(copy, 'src/new.rs'), '')
    expect(changed(copy)).toEqual([
      'Cargo.lock',
      'build.sh',
      'src/lib.rs',
      'src/new.rs',
      'toolchain.txt',
      'upto.wasm',
    ])
  })
})

describe('the module', () => {
  const wasm = readFileSync(join(folder, 'upto.wasm'))
  const module = new WebAssembly.Module(wasm)

  test('is small', () => {
    expect(wasm.length).toBeLessThan(2_500)
  })

  test('exports one function: neither a constructor nor an administration', () => {
    const functions = WebAssembly.Module.exports(module).filter(({ kind }) => kind === 'function')
    expect(functions.map(({ name }) => name)).toEqual(['settle'])
  })

  /** The names are those of `env.json` of soroban-env-common, protocol 29. */
  test('calls nothing of the host but this: it deletes no nonce and replaces no code', () => {
    const imports = WebAssembly.Module.imports(module).map((it) => `${it.module}.${it.name}`)
    expect(imports.toSorted()).toEqual(Object.keys(hostFunctions).toSorted())
  })

  test('describes its function, its event and its errors, and no type of the SDK', () => {
    const described = contract.Spec.fromWasm(wasm).entries.map((entry) => entry.value)
    expect(described.map(({ name }) => String(name)).toSorted()).toEqual([
      'Error',
      'UptoSettled',
      'settle',
    ])
  })
})

const hostFunctions = {
  'a.0': 'require_auth',
  'a._': 'require_auth_for_args',
  'b.8': 'bytes_len',
  'b.j': 'symbol_new_from_linear_memory',
  'd._': 'call',
  'i.6': 'obj_from_i128_pieces',
  'i.7': 'obj_to_i128_lo64',
  'i.8': 'obj_to_i128_hi64',
  'l.0': 'has_contract_data',
  'l.7': 'extend_contract_data_ttl',
  'l._': 'put_contract_data',
  'v.g': 'vec_new_from_linear_memory',
  'x.1': 'contract_event',
  'x.3': 'get_ledger_sequence',
  'x.5': 'fail_with_error',
  'x.7': 'get_current_contract_address',
  'x.8': 'get_max_live_until_ledger',
}
