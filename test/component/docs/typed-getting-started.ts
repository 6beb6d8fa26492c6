/** Types the commands of docs/getting-started.md in its order; only ports are changed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { changed, type PageDemo, typeBlocks } from './page-demo.ts'
import { readPage } from './typed-page.ts'

const page = readPage('docs/getting-started.md')

interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced blocks under the heading that starts with a number. */
function blocksOf(section: number): Block[] {
  const [, text = ''] = page.split(new RegExp(`^## ${section}\\. `, 'm'))
  const own = text.split(/^## /m)[0] ?? ''
  return [...own.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }))
}

export const shell = (section: number): string[] =>
  blocksOf(section).flatMap(({ language, text }) => (language === 'sh' ? [text] : []))
const program = (section: number): string =>
  blocksOf(section).find(({ language }) => language === 'js')?.text ?? ''

/** Sections 1 to 3: see it work, pay and sell with programs of your own. */
export async function typeFirstSections({ clone, changes }: PageDemo): Promise<void> {
  const [start = '', look = '', receipt = ''] = shell(1)
  expect(start).toBe('make run\n')
  const looked = await typeBlocks(clone, changes, look)
  expect(looked).toContain('402 Payment Required')
  expect(looked).toContain('"scheme":"exact"')
  expect(looked).toMatch(/transaction +[0-9a-f]{64}/)
  expect(looked).toContain('"network":"stellar:testnet","ok":true')
  expect(looked).toMatch(/"check":".*"status":"ok"/)
  const verdicts = await typeBlocks(clone, changes, receipt)
  expect(verdicts.match(/^ {2}\w+ +valid: /gm)).toHaveLength(5)

  const save = (name: string, section: number) =>
    writeFileSync(join(clone.folder, 'playground', name), changed(program(section), changes))
  const [enter = '', ...pay] = shell(2)
  await typeBlocks(clone, changes, enter)
  save('client.mjs', 2)
  expect(await typeBlocks(clone, changes, enter, ...pay)).toContain('200 {"weather":"sunny"')

  save('server.mjs', 3)
  expect(await typeBlocks(clone, changes, enter, ...pay, ...shell(3))).toContain('200 {"joke"')
}
