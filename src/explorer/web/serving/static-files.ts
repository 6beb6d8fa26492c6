import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { compressAnswers } from '../../../platform/http/server/public-read.ts'
import { securityHeaders } from './security-headers.ts'

const own = (file: string): URL => new URL(`../static/${file}`, import.meta.url)

/** Each file that browsers load, and the sources that it consists of. */
const sources = {
  'style.css': [
    new URL(import.meta.resolve('uplot/dist/uPlot.min.css')),
    own('base.css'),
    own('shell.css'),
    own('parts.css'),
    own('tables.css'),
    own('cells.css'),
    own('cards.css'),
    own('feed.css'),
    own('details.css'),
    own('catalog.css'),
  ],
  'icon.svg': [own('icon.svg')],
  'theme.js': [own('theme.js')],
  'page.js': [own('page.js')],
  'chart.js': [own('chart.js')],
  'live.js': [own('live.js')],
  'uplot.js': [new URL(import.meta.resolve('uplot/dist/uPlot.iife.min.js'))],
} as const

export type StaticFile = keyof typeof sources

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

const HASH_DIGITS = 12

interface LoadedFile {
  readonly path: string
  readonly type: string
  readonly text: string
}

function load(name: string, parts: readonly URL[]): LoadedFile {
  const text = parts.map((part) => readFileSync(fileURLToPath(part), 'utf8')).join('\n')
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
  const [base = '', extension = ''] = name.split('.')
  return {
    path: `/ui/assets/${base}.${hash}.${extension}`,
    type: types[extension as keyof typeof types],
    text,
  }
}

const files = new Map(Object.entries(sources).map(([name, parts]) => [name, load(name, parts)]))

/** The address of a file. Its content is part of it, so that browsers keep the file for ever. */
export const staticPath = (file: StaticFile): string => files.get(file)!.path

/** Serves the style sheets and scripts of the pages. */
export function exposeStaticFiles(app: FastifyInstance): void {
  for (const { path, type, text } of files.values()) {
    app.route({
      method: 'GET',
      url: path,
      onSend: compressAnswers(),
      handler: (_request, reply) =>
        reply
          .headers({ ...securityHeaders, 'cache-control': 'public, max-age=31536000, immutable' })
          .type(type)
          .send(text),
    })
  }
}
