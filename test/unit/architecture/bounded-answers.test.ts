import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Programs of the browser read what their own server sends; the client of Kubernetes reads the API server, which may end the operator anyway. */
const others = /^src\/(kubernetes\/runtime|buying\/client|explorer\/web\/static)\//

/** `fetch` reads an answer to its end, and decompresses it, whatever its size. */
const unbounded = /\.(text|json|arrayBuffer|blob|bytes|formData)\(\)/

test('what answers a request is read by src/platform/core/errors/read-answer.ts, which has a limit', () => {
  const files = globSync('src/**/*.ts').filter((file) => !others.test(file))
  const asking = files.filter((file) => /\bfetch\(/.test(readFileSync(file, 'utf8')))
  expect(asking).toContain('src/stellar/rpc/transport/post-json-rpc.ts')
  expect(asking.filter((file) => unbounded.test(readFileSync(file, 'utf8')))).toEqual([])
})
