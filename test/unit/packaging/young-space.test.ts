import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** The limit of V8's space for young objects, wherever svc is started without a person's own options. */
const FLAG = '--max-semi-space-size=8'
const svc = fileURLToPath(new URL('../../../src/cli/svc.ts', import.meta.url))
const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('the image, the executable and the npm script limit it alike', () => {
  expect(textOf('Dockerfile')).toContain(`NODE_OPTIONS=${FLAG} `)
  expect(textOf('src/cli/svc.ts').split('\n')[0]).toBe(`#!/usr/bin/env -S node ${FLAG}`)
  expect(JSON.parse(textOf('package.json')).scripts.svc).toBe(`node ${FLAG} src/cli/svc.ts`)
})

test('the executable starts', async () => {
  const { stdout } = await promisify(execFile)(svc, ['help'])
  expect(stdout).toMatch(/^svc <command> \[options\]\n/)
})
