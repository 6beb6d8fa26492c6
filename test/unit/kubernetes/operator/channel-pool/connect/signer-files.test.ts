import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SignerFiles } from '../../../../../../src/kubernetes/operator/channel-pool/connect/signer-files.ts'
import { sponsorSourceId } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { sponsors } from '../../../../../support/api/sponsors.ts'

const pin = { name: 'hsm', key: 'pin' }
const pinOf = (value: string) => new Map([['hsm/pin', value]])
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the files of signers', () => {
  test('can be read by the operator alone, and go with it', async () => {
    const files = new SignerFiles()
    const path = (await files.write('pool', sponsors.pkcs11, pinOf('1234')))(pin)
    expect(readFileSync(path, 'utf8')).toBe('1234')
    expect(modeOf(path)).toBe(0o400)
    expect(modeOf(dirname(path))).toBe(0o700)
    expect(modeOf(dirname(dirname(path)))).toBe(0o700)
    await files[Symbol.asyncDispose]()
    expect(existsSync(dirname(dirname(path)))).toBe(false)
  })

  test('stay where they are until a value changes', async () => {
    await using files = new SignerFiles()
    const first = (await files.write('pool', sponsors.pkcs11, pinOf('1234')))(pin)
    expect((await files.write('pool', sponsors.pkcs11, pinOf('1234')))(pin)).toBe(first)
    const second = (await files.write('pool', sponsors.pkcs11, pinOf('4321')))(pin)
    expect(readFileSync(second, 'utf8')).toBe('4321')
    expect(existsSync(dirname(first))).toBe(false)
  })

  test('of a source that the pool no longer names are removed', async () => {
    await using files = new SignerFiles()
    const values = new Map([...pinOf('1234'), ['vault-ca/ca.crt', 'CA']])
    const hsm = (await files.write('pool', sponsors.pkcs11, values))(pin)
    const ca = { name: 'vault-ca', key: 'ca.crt' }
    const vault = (await files.write('pool', sponsors.vault, values))(ca)
    const other = (await files.write('other', sponsors.pkcs11, values))(pin)
    await files.keepOnly('pool', new Set([sponsorSourceId(sponsors.vault)]))
    expect([hsm, vault, other].map((path) => existsSync(path))).toEqual([false, true, true])
    await files.keepOnly('pool', new Set())
    expect(readdirSync(dirname(dirname(other)))).toHaveLength(1)
  })
})
