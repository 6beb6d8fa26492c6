import { gunzipSync } from 'node:zlib'

/** A secret in all forms in which an archive could hold it. */
function formsOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    // The characters at both ends depend on the bytes beside the secret.
    const text = Buffer.from(`${'x'.repeat(offset)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '')
    return text.slice(offset === 0 ? 0 : offset + 1, -1)
  })
  return [
    secret,
    encodeURIComponent(secret),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** The secrets that an archive has, in any form. */
export function leakedFrom(archive: Buffer, secrets: readonly string[]): readonly string[] {
  const text = gunzipSync(archive).toString('utf8')
  return secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)))
}
