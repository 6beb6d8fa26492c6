import { writeFileSync } from 'node:fs'
import { made } from '../../test/cluster/support/means.ts'
import { helm } from '../../test/cluster/support/tools.ts'
import { generatedDocs } from './generated-files.ts'
import { packagePage } from './package-page.ts'
import { goldens, manifests } from './rendered.ts'

const write = (path: string, text: string): void =>
  writeFileSync(new URL(`../../${path}`, import.meta.url), text)

/* Writes every page that is made from the code: `make generate`. */
for (const [path, make] of Object.entries(generatedDocs)) write(path, make())

write('docs/package-api.md', await packagePage())

/* And what helm makes of the chart, which comes after the chart's own files. */
const tool = await helm(made)
if ('missing' in tool) {
  process.stderr.write(`manifests/ stay as they are, since there is no helm: ${tool.missing}\n`)
} else {
  const rendered = { ...(await manifests(tool.path)), ...(await goldens(tool.path)) }
  for (const [path, text] of Object.entries(rendered)) write(path, text)
}
