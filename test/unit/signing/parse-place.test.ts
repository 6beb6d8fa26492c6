import { expect, test } from 'vitest'
import { parsePlace } from '../../../src/signing/parse-place.ts'

test.each([
  [
    'pkcs11:token=my%20token;object=sponsor?module-path=/usr/lib/p11.so&pin-source=file:/run/pin',
    {
      kind: 'pkcs11',
      token: 'my token',
      key: 'sponsor',
      modulePath: '/usr/lib/p11.so',
      pinFile: '/run/pin',
    },
  ],
  [
    'vault+https://vault.example:8200/pki/transit/sponsor?version=3&namespace=team&ca=/ca.crt&role=svc&auth=k8s&jwt=/jwt',
    {
      kind: 'vault',
      address: 'https://vault.example:8200',
      caFile: '/ca.crt',
      mount: 'pki/transit',
      key: 'sponsor',
      version: 3,
      namespace: 'team',
      login: { kind: 'kubernetes', mount: 'k8s', role: 'svc', jwtFile: '/jwt' },
    },
  ],
  [
    'vault+http://127.0.0.1:8200/transit/sponsor?token-file=/token',
    {
      kind: 'vault',
      address: 'http://127.0.0.1:8200',
      login: { kind: 'token', tokenFile: '/token' },
    },
  ],
  [
    'https://signer.example:8443/sign/?ca=/ca&cert=/cert&key=/key',
    {
      kind: 'http',
      endpoint: {
        url: 'https://signer.example:8443/sign',
        caFile: '/ca',
        certFile: '/cert',
        keyFile: '/key',
      },
    },
  ],
  ['unix:/run/signer.sock', { kind: 'http', endpoint: { socketPath: '/run/signer.sock' } }],
])('%s names a place', (text, place) => {
  expect(parsePlace(text)).toMatchObject({ place })
})

test.each([
  ['', /^must be a URI that begins with/],
  ['http://signer.example', /^must be a URI that begins with/],
  ['pkcs11:token=a?module-path=/m&pin-source=/p', /have the attribute object/],
  ['pkcs11:token=a;object=b?module-path=m&pin-source=/p', /absolute path after module-path/],
  ['pkcs11:token=a;object=b;serial=1?module-path=/m&pin-source=/p', /no attribute serial/],
  ['pkcs11:token=a;token=b;object=c?module-path=/m&pin-source=/p', /each attribute once/],
  ['pkcs11:token=%E0%A4%A;object=c?module-path=/m&pin-source=/p', /percent-encoding/],
  // The PIN itself has no place in a setting that is no secret.
  ['pkcs11:token=a;object=b?module-path=/m&pin-value=1234', /attribute pin-source/],
  ['vault+https://vault.example/sponsor?role=svc', /name the mount/],
  ['vault+http://vault.example/transit/sponsor?role=svc', /use https/],
  ['vault+https://vault.example/transit/sponsor', /attribute role/],
  ['vault+https://vault.example/transit/sponsor?role=svc&version=0', /whole number as version/],
  ['vault+https://user:word@vault.example/transit/sponsor?role=svc', /no user name/],
  ['https://signer.example?ca=/ca&cert=/cert', /attribute key/],
  ['unix:signer.sock', /absolute path/],
])('%s is none', (text, says) => {
  const parsed = parsePlace(text)
  expect(parsed).toMatchObject({ problem: expect.stringMatching(says) })
  expect(JSON.stringify(parsed)).not.toContain('1234')
})
