import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPackage } from './build.ts'

/*
 * `make package`: compiles the sources and packs them into dist/stellar-x402-VERSION.tgz, which npm installs, and writes the page
 * about its interface.
 */

const project = join(import.meta.dirname, '../..')
const { file, bytes, files, report } = await buildPackage(join(project, 'dist'))
writeFileSync(join(project, 'docs/package-api.md'), report)
const MEBIBYTE = 2 ** 20
process.stdout.write(`${file}: ${(bytes / MEBIBYTE).toFixed(1)} MiB, ${files} files\n`)
