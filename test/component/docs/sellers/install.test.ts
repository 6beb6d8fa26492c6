import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  type Line,
  lines,
  notInstalled,
  SellersFolder,
} from '../../../support/stock/sellers-folder.ts'
import { blocks, change, file, files } from '../../../support/stock/sellers-page.ts'
import type { Change } from '../../../support/stock/stock-page.ts'

const run = promisify(execFile)
const tsc = fileURLToPath(new URL('../../../../node_modules/.bin/tsc', import.meta.url))

/** The packages that a reader who chose a line has after every `npm install` of the page. */
function installedBy({ line }: Line): Record<string, string> {
  const own = new RegExp(`the ${line} line|either line`, 'i')
  const typed = blocks
    .filter(({ lead, text }) => own.test(lead) || text.includes('--save-dev'))
    .flatMap(({ text }) => [...text.matchAll(/^npm install (.*)$/gm)])
    .flatMap(([, packages = '']) => packages.split(' '))
    .filter((name) => !name.startsWith('--') && name !== 'typescript')
  return Object.fromEntries(
    typed.map((name) => [name.replace(/@[^@]*$/, ''), name.split('@').at(-1) ?? '']),
  )
}

/** Every change that the page has for a file. */
function changesOf(name: string): readonly Change[] {
  if (name === 'account.mjs') return []
  if (name.startsWith('client')) return [change('onBeforePaymentCreation')]
  const forServers = ['createAuthHeaders', 'settling again', "console.log('paid'", 'amount:']
  const forExpress = [
    'access-control',
    "from '@x402/extensions/bazaar'",
    'registerExtension',
    'extensions: declareDiscoveryExtension',
  ]
  const words = name === 'express.mjs' ? [...forServers, ...forExpress] : forServers
  return words.map(change)
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/** All but those that need this project, which has no declarations of types yet. */
const javascript = [...files].flatMap(([name, text]) =>
  /from 'stellar-x402\//.test(text) ? [] : [name],
)

const asTypeScript = (name: string): string => name.replace(/\.mjs$/, '.mts')

describe.each(lines)('the $line line', (line) => {
  test('of the page is what the tests of the page run with', () => {
    const { dependencies, devDependencies } = read(join(line.packages, 'package.json'))
    expect(installedBy(line)).toEqual({ ...dependencies, ...devDependencies })
    const lock = read(join(line.packages, 'package-lock.json'))
    expect(lock.packages['']).toMatchObject({ dependencies, devDependencies })
  })

  test('types every file of the page', { timeout: 240_000 }, async ({ skip }) => {
    const missing = notInstalled(line)
    if (missing !== undefined) return skip(missing)
    await using folder = await SellersFolder.create(line)
    for (const name of javascript) {
      const needsConst = line.line === 'newest' && file(name).includes('paymentFlows:')
      const wanted = [...changesOf(name), ...(needsConst ? [change('as const')] : [])]
      await folder.save(asTypeScript(name), file(name, ...wanted))
    }
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      'node',
    ]
    const sources = javascript.map(asTypeScript)
    const checked = run(tsc, [...flags, '--preserveSymlinks', ...sources], { cwd: folder.path })
    await expect(checked.catch(({ stdout }) => stdout)).resolves.toMatchObject({ stdout: '' })
  })
})
