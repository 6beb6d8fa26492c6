import { expect, test } from 'vitest'
import { parseRpcHeaders } from '../../../../src/stellar/rpc/rpc-headers.ts'

const namesIn = (name: string) =>
  parseRpcHeaders(`https://rpc.example ${name}: value`)?.map((header) => header.name)

test.each([
  'Authorization',
  'X-Api-Key',
  'Api-Key',
  'api_key',
  'X-Token',
  'X-Provider-Forwarded-Key',
  'Ocp-Apim-Subscription-Key',
])('a key may be in the header %s', (name) => {
  expect(namesIn(name)).toEqual([name.toLowerCase()])
})

test.each([
  'Metadata',
  'Metadata-Flavor',
  'X-Google-Metadata-Request',
  'X-aws-ec2-metadata-token',
  'X-Aws-Parameters-Secrets-Token',
  'X-Forwarded-For',
  'X-Forwarded-Client-Cert',
  'X-Forwarded',
  'Forwarded',
  'Via',
  'X-Real-IP',
  'X-Client-IP',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Envoy-Original-Dst-Host',
  'X-Remote-User',
  'X-Remote-Group',
  'Remote-User',
  'X_Forwarded_For',
  'X_Remote-User',
  'X-Remote-Extra-Scopes',
  'Impersonate-User',
  'Impersonate-Extra-Scopes',
  'Cookie',
  'Host',
  'Connection',
  'Keep-Alive',
  'Proxy-Authorization',
  'Proxy-Connection',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'HTTP2-Settings',
  'Expect',
  'Content-Length',
  'Content-Type',
  'Content-Encoding',
])('no text of headers is accepted with %s, in any case', (name) => {
  for (const each of [name, name.toUpperCase(), name.toLowerCase()]) {
    expect(namesIn(each)).toBeUndefined()
  }
})
