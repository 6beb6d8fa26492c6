import { Account, Keypair, MuxedAccount } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { stellarTomlUrl } from '../../../../src/catalog/domain/read-domain.ts'
import { claims, readStellarToml } from '../../../../src/catalog/domain/stellar-toml.ts'
import { passphrases } from '../../../../src/platform/core/caip2.ts'

const owner = Keypair.random().publicKey()
const testnet = passphrases['stellar:testnet']

const read = (text: string) => readStellarToml(Buffer.from(text))

function claimed(text: string, network: 'stellar:testnet' | 'stellar:pubnet', who = owner) {
  const toml = read(text)
  return toml && claims(toml, network, who)
}

describe('a stellar.toml', () => {
  const file = `VERSION = "2.7.0"
NETWORK_PASSPHRASE = "${testnet}"
ACCOUNTS = [
  "${owner}", # sales
  "GOTHER",
]
[DOCUMENTATION]
ORG_NAME = "Weather"
`
  test('claims the accounts that it names, on the network that it names', () => {
    expect(claimed(file, 'stellar:testnet')).toBe(true)
    expect(claimed(file, 'stellar:pubnet')).toBe(false)
    expect(claimed(file, 'stellar:testnet', Keypair.random().publicKey())).toBe(false)
  })

  test('claims the muxed addresses of its accounts', () => {
    const muxed = new MuxedAccount(new Account(owner, '0'), '7').accountId()
    expect(claimed(file, 'stellar:testnet', muxed)).toBe(true)
  })

  test('without a network speaks of the public one', () => {
    expect(claimed(`ACCOUNTS = ["${owner}"]`, 'stellar:pubnet')).toBe(true)
    expect(claimed(`ACCOUNTS = ["${owner}"]`, 'stellar:testnet')).toBe(false)
  })

  test.each([
    ['names no accounts', `NETWORK_PASSPHRASE = "${testnet}"`],
    ['names accounts as a text', `ACCOUNTS = "${owner}"`],
    ['names accounts in a table', `[DOCUMENTATION]\nACCOUNTS = ["${owner}"]`],
    ['names accounts in a comment', `# ACCOUNTS = ["${owner}"]`],
    [
      'names something else as accounts',
      'ACCOUNTS = [1, {a = 2}, 2020-01-01, 99999999999999999999]',
    ],
  ])('that %s claims none', (_, text) => {
    expect(claimed(text, 'stellar:pubnet')).toBe(false)
  })

  test.each([
    ['a page', '<!doctype html><html></html>'],
    ['brackets without end', `a = ${'['.repeat(60_000)}`],
    ['bytes that are no text', '\u0000\ufffd'],
  ])('that is %s is none', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  test('is at a place of its host, with a certificate except on this machine', () => {
    expect(stellarTomlUrl('seller.example').href).toBe(
      'https://seller.example/.well-known/stellar.toml',
    )
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      expect(stellarTomlUrl(host).protocol).toBe('http:')
    }
    expect(stellarTomlUrl('127.seller.example').protocol).toBe('https:')
  })
})
