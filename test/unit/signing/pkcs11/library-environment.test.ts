import { expect, test } from 'vitest'
import { libraryEnvironment } from '../../../../src/signing/pkcs11/library-environment.ts'

const isPassedOn = (name: string): boolean => name in libraryEnvironment({ [name]: 'value' })

test.each([
  'PATH',
  'HOME',
  'LD_LIBRARY_PATH',
  'MALLOC_ARENA_MAX',
  'SOFTHSM2_CONF',
  'YUBIHSM_PKCS11_CONF',
  'ChrystokiConfigurationPath',
  'CS_PKCS11_R3_CFG',
  'CKNFAST_OVERRIDE_SECURITY_ASSURANCES',
  'TPM2_PKCS11_STORE',
  'PKCS11_PROXY_SOCKET',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'OPENSSL_CONF',
])('the library gets %s', (name) => {
  expect(isPassedOn(name)).toBe(true)
})

test.each([
  'SPONSOR_SECRET',
  'NEXT_SPONSOR_SECRET',
  'SEARCH_CURSOR_SECRET',
  'SEARCH_EMBEDDINGS_API_KEY',
  'API_KEY_SHA256',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'EXPLORER_DATABASE_URL',
  'RPC_URL',
  'RPC_URL_PUBNET',
  'RPC_HEADERS',
  'RPC_HEADERS_TESTNET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'PGPASSWORD',
  'HSM_PIN',
  'VAULT_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'STELLAR_SEED',
  'NODE_OPTIONS',
])('the library does not get %s', (name) => {
  expect(isPassedOn(name)).toBe(false)
})
