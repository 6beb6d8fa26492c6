/** Certificate authorities of tests, and certificates of them. */
import { generate } from 'selfsigned'

const validity = () => ({
  keyType: 'ec' as const,
  curve: 'P-256' as const,
  algorithm: 'sha256',
  notBeforeDate: new Date(Date.now() - 86_400_000),
  notAfterDate: new Date(Date.now() + 86_400_000),
})

export interface Authority {
  readonly cert: string
  readonly key: string
}

export async function createAuthority(name: string): Promise<Authority> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...validity(),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  return { cert, key }
}

/** @param name a DNS name of the certificate; it is valid for 127.0.0.1 too */
export async function createCertificate(ca: Authority, name: string): Promise<Authority> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...validity(),
    ca,
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: name },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  return { cert, key }
}
