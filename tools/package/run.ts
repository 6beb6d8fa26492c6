import { join } from 'node:path'
import { buildPackage } from './build.ts'

/* `make package`: compiles the sources and packs them into dist/stellar-x402-VERSION.tgz, which npm installs. */

const { file, bytes, files } = await buildPackage(join(import.meta.dirname, '../../dist'))
const MEBIBYTE = 2 ** 20
process.stdout.write(`${file}: ${(bytes / MEBIBYTE).toFixed(1)} MiB, ${files} files\n`)
