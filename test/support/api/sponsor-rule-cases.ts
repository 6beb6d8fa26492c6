import { type Json, type Manifest, poolManifest } from './manifests.ts'
import type { RuleCase } from './rule-cases.ts'
import { writtenSponsors } from './sponsors.ts'

const { secretRef, pkcs11, vault, http, socket } = writtenSponsors
const poolOf = (sponsor: Json): Manifest => poolManifest({ sponsor })
const accepted = Object.entries(writtenSponsors).map(([what, sponsor]) => ({
  what,
  after: poolOf(sponsor),
}))

export const sponsorRuleCases: readonly RuleCase[] = [
  {
    kind: 'ChannelPool',
    at: 'spec.sponsor',
    message:
      'set exactly one of secretRef, pkcs11, vault and http: it says where the key of the sponsor lies',
    accepted,
    refused: [
      { what: 'an address alone', after: poolOf({ address: pkcs11.address }) },
      { what: 'a seed and a token', after: poolOf({ ...secretRef, ...pkcs11 }) },
      { what: 'three', after: poolOf({ ...pkcs11, ...vault, ...http }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.sponsor',
    message: 'set address, the G... address of the sponsor: only a seed in a Secret says it',
    accepted: [
      ...accepted,
      {
        what: 'a seed and its address',
        after: poolOf({ ...pkcs11, ...secretRef, pkcs11: undefined }),
      },
    ],
    refused: [
      { what: 'a token without an address', after: poolOf({ pkcs11: pkcs11.pkcs11 }) },
      { what: 'a key of Vault without one', after: poolOf({ vault: vault.vault }) },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.sponsor.http',
    message: 'set either url or socketPath',
    accepted: [
      { what: 'a URL', after: poolOf(http) },
      { what: 'a socket', after: poolOf(socket) },
    ],
    refused: [{ what: 'neither', after: poolOf({ ...http, http: {} }) }],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.sponsor.http',
    message:
      'set caSecretRef and clientSecretRef beside url: signer and client show each other a certificate',
    accepted: [{ what: 'both', after: poolOf(http) }],
    refused: [
      { what: 'a URL alone', after: poolOf({ ...http, http: { url: 'https://a.example' } }) },
      {
        what: 'no client certificate',
        after: poolOf({ ...http, http: { ...http.http, clientSecretRef: undefined } }),
      },
    ],
  },
  {
    kind: 'ChannelPool',
    at: 'spec.sponsor.http',
    message: 'leave out caSecretRef and clientSecretRef beside socketPath: a socket has no TLS',
    accepted: [{ what: 'a socket alone', after: poolOf(socket) }],
    refused: [
      {
        what: 'a certificate authority',
        after: poolOf({ ...socket, http: { ...socket.http, caSecretRef: { name: 'a' } } }),
      },
    ],
  },
]
