import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildImage } from '../../../tools/image/build.ts'
import { machineArch } from '../../../tools/image/layers.ts'
import { writeImage } from '../../../tools/image/oci.ts'
import { postgresImage } from './postgres.ts'
import { toolsImage } from './tools.ts'

const root = join(import.meta.dirname, '../../..')

/**
 * Builds the images of the world: that of this checkout, Postgres, and the ledger with the stock packages. Needs Debian's
 * packages, so it runs before the namespaces of the world are entered.
 * @returns their archives
 */
export async function buildImages(folder: string): Promise<readonly string[]> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await mkdir(folder, { recursive: true })
  const file = (name: string) => join(folder, `${name}.tar`)
  const arch = machineArch()
  const built = [
    await buildImage({ tree: root, version, out: file('stellar-x402') }),
    await writeImage(file('tools'), await toolsImage(arch)),
    await writeImage(file('postgres'), await postgresImage(arch)),
  ]
  return built.map((image) => image.file)
}
