import type { Json } from './manifests.ts'

/* `spec.sponsor` of every kind, as a user writes it and as the API server completes it. */

export const SPONSOR_ADDRESS = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const address = SPONSOR_ADDRESS

/** Without defaults. */
export const writtenSponsors = {
  secretRef: { secretRef: { name: 'testnet-sponsor' } },
  pkcs11: {
    address,
    pkcs11: {
      modulePath: '/opt/hsm/libpkcs11.so',
      token: 'x402 sponsors',
      key: 'testnet',
      pinSecretRef: { name: 'hsm' },
    },
  },
  vault: {
    address,
    vault: {
      address: 'https://vault.example:8200',
      caSecretRef: { name: 'vault-ca' },
      key: 'x402-testnet',
      role: 'x402',
    },
  },
  http: {
    address,
    http: {
      url: 'https://signer.example:8443/v1',
      caSecretRef: { name: 'signer-ca' },
      clientSecretRef: { name: 'signer-client' },
    },
  },
  socket: { address, http: { socketPath: '/run/signer/signer.sock' } },
} as const satisfies Readonly<Record<string, Json>>

export const sponsors = {
  secretRef: { secretRef: { name: 'testnet-sponsor', key: 'secret' } },
  pkcs11: {
    address,
    pkcs11: { ...writtenSponsors.pkcs11.pkcs11, pinSecretRef: { name: 'hsm', key: 'pin' } },
  },
  vault: {
    address,
    vault: {
      ...writtenSponsors.vault.vault,
      caSecretRef: { name: 'vault-ca', key: 'ca.crt' },
      mount: 'transit',
      authMount: 'kubernetes',
      audience: 'vault',
    },
  },
  http: {
    address,
    http: { ...writtenSponsors.http.http, caSecretRef: { name: 'signer-ca', key: 'ca.crt' } },
  },
  socket: writtenSponsors.socket,
} as const
