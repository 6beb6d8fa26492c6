import { writeFileSync } from 'node:fs'
import { generatedDocs } from './generated-docs.ts'

/* Writes every page that is made from the code: `make generate`. */
for (const [path, make] of Object.entries(generatedDocs)) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), make())
}
