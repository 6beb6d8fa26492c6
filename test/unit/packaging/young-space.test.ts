import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The limit of V8's space for young objects, wherever svc is started without a person's own options. */
const FLAG = '--max-semi-space-size=8'
const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const executables = ['bin/svc', 'src/commands/svc.ts']

test('the image, the executables, the npm script and a service itself limit it alike', () => {
  expect(textOf('src/service/process/small-service.ts')).toContain('YOUNG_SPACE_MB = 8\n')
  expect(textOf('Dockerfile')).toContain(`NODE_OPTIONS=${FLAG} `)
  for (const path of executables) {
    expect(textOf(path).split('\n')[0]).toBe(`#!/usr/bin/env -S node ${FLAG}`)
  }
  expect(JSON.parse(textOf('package.json')).scripts.svc).toBe(`node ${FLAG} bin/svc`)
})

test('the image and a service itself give the C library as many areas', () => {
  expect(textOf('src/service/process/small-service.ts')).toContain('ARENA_COUNT = 2\n')
  expect(textOf('Dockerfile')).toContain('MALLOC_ARENA_MAX=2 ')
})
