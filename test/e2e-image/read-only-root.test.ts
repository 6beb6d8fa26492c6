import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/image-files.ts'
import { imageOrSkip } from './support/built-image.ts'
import { run } from './support/container.ts'
import { configOf } from './support/unpacked.ts'

for (const line of ['svc --help', 'svc operator --help', 'svc facilitator --help', 'svc version'])
  test(`${line} needs no file to write and warns of nothing`, async (context) => {
    const { root } = imageOrSkip(context)
    const { code, stdout, stderr } = await run(root, line.split(' '))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('svc')
  })

test('the entrypoint with its default argument lists the commands', async (context) => {
  const { root } = imageOrSkip(context)
  const { Entrypoint, Cmd } = configOf(root)
  const { code, stdout, stderr } = await run(root, [...Entrypoint, ...Cmd])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('\n  operator ')
})

test('svc migrate without settings names the missing one, and nothing else', async (context) => {
  const { root } = imageOrSkip(context)
  const { code, stdout, stderr } = await run(root, ['svc', 'migrate'])
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr).toMatch(/^the configuration is invalid:\n {2}DATABASE_URL is required[^\n]*\n$/)
})

test('a process of the image can write to /tmp and nowhere else', async (context) => {
  const { root } = imageOrSkip(context)
  const source = `
    import { writeFileSync } from 'node:fs'
    writeFileSync('/tmp/file', '')
    for (const path of ['/file', '/app/file', '/app/node_modules/.cache/svc/file', '/var/tmp/file'])
      try { writeFileSync(path, ''); console.log(path) } catch ({ code }) { console.log(code) }
    console.log(process.getuid(), process.getgid(), process.getgroups().join(), process.pid)`
  const { stdout, stderr } = await run(root, ['node', '--input-type=module', '--eval', source])
  expect(stderr).toBe('')
  expect(stdout.trim().split('\n')).toEqual([...Array(4).fill('EROFS'), '10001 10001 10001 1'])
})

test('Node takes the compiled code of every module of the operator', async (context) => {
  const { root } = imageOrSkip(context)
  const traced = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  const { stdout, stderr } = await run(root, ['svc', 'operator', '--help'], traced)
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.includes('compile cache'))
  const accepted = lines.filter((line) => / was accepted/.test(line))
  expect(accepted.length).toBeGreaterThan(500)
  expect(lines.filter((line) => / was rejected|mismatch|writing cache|ENOENT/i.test(line))).toEqual(
    [],
  )
})

test('the programs of the chart run in the image, as its templates start them', async (context) => {
  const { root } = imageOrSkip(context)
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(request.url?.includes('channelpools') ? '{"items":[]}' : '{"isValid": false}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const settings = {
      'helm-test.mjs': { OPERATOR_URL: url, FACILITATOR_URL: url },
      // Any file with one line does for a token.
      'uninstall-check.mjs': { API_URL: url, NAMESPACES: '', TOKEN_FILE: '/etc/debian_version' },
    }
    for (const [name, more] of Object.entries(settings)) {
      const source = readFileSync(join(projectRoot, 'charts/stellar-x402/files', name), 'utf8')
      const command = ['node', '--input-type=module', '--eval', source]
      const { code, stderr } = await run(root, command, more)
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
    }
  } finally {
    server.close()
  }
})
