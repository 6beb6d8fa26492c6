import { describe, expect, test } from 'vitest'
import {
  signerPlace,
  signerUri,
} from '../../../../../src/kubernetes/operator/references/signer-place.ts'
import type { SponsorSource } from '../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { SPONSOR_ADDRESS as address, sponsors } from '../../../../support/api/sponsors.ts'

const files = {
  pathOf: ({ name, key }: { name: string; key: string }) => `/secrets/${name}/${key}`,
  jwtFile: '/secrets/jwt',
}

const uriOf = (source: SponsorSource): string | undefined => {
  const place = signerPlace(source, files)
  return place && signerUri(place)
}

describe('signerUri', () => {
  test.each<{ what: string; source: SponsorSource; uri: string | undefined }>([
    { what: 'nothing for a seed', source: sponsors.secretRef, uri: undefined },
    {
      what: 'a token, its label encoded',
      source: sponsors.pkcs11,
      uri: 'pkcs11:token=x402%20sponsors;object=testnet?module-path=/opt/hsm/libpkcs11.so&pin-source=/secrets/hsm/pin',
    },
    {
      what: 'a key whose label has characters that a URI reserves',
      source: {
        address,
        pkcs11: { ...sponsors.pkcs11.pkcs11, token: "A;b?c&d=e/f%'", key: 'ключ' },
      },
      uri: 'pkcs11:token=A%3Bb%3Fc%26d%3De%2Ff%25%27;object=%D0%BA%D0%BB%D1%8E%D1%87?module-path=/opt/hsm/libpkcs11.so&pin-source=/secrets/hsm/pin',
    },
    {
      what: 'a key of Vault',
      source: sponsors.vault,
      uri: 'vault+https://vault.example:8200/transit/x402-testnet?ca=/secrets/vault-ca/ca.crt&role=x402&auth=kubernetes&jwt=/secrets/jwt',
    },
    {
      what: 'a version of a key of Vault, in a namespace, with mounts of several parts',
      source: {
        address,
        vault: {
          ...sponsors.vault.vault,
          caSecretRef: undefined,
          mount: 'team/transit',
          authMount: 'team/jwt',
          namespace: 'a/b',
          keyVersion: 7,
        },
      },
      uri: 'vault+https://vault.example:8200/team/transit/x402-testnet?version=7&namespace=a/b&role=x402&auth=team/jwt&jwt=/secrets/jwt',
    },
    {
      what: 'a service',
      source: sponsors.http,
      uri: 'https://signer.example:8443/v1?ca=/secrets/signer-ca/ca.crt&cert=/secrets/signer-client/tls.crt&key=/secrets/signer-client/tls.key',
    },
    { what: 'a socket', source: sponsors.socket, uri: 'unix:/run/signer/signer.sock' },
  ])('says $what', ({ source, uri }) => {
    expect(uriOf(source)).toBe(uri)
  })
})
