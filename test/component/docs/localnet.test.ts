import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { runProgram } from '../examples/linked-example.ts'

it('runs the program that the page of the embedded network shows', async () => {
  const page = await readFile(new URL('../../../docs/localnet.md', import.meta.url), 'utf8')
  const [program = ''] = /(?<=^## In a test\n[^#]*?```ts\n).+?(?=```)/ms.exec(page) ?? []
  expect(program).toContain('startLocalnet()')
  expect(await runProgram(program)).toEqual({ code: 0, output: 'SUCCESS\n' })
})
