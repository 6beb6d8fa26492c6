import { join } from 'node:path'
import { environmentOf } from '../../../tools/image/build.ts'
import { type Arch, debianArch, layersOf } from '../../../tools/image/layers.ts'
import type { Image } from '../../../tools/image/oci.ts'
import type { Entry } from '../../../tools/image/tar.ts'
import { treeEntries } from '../../../tools/image/tree.ts'
import { StockPage } from '../../support/stock/stock-page.ts'
import { images } from '../support/world-places.ts'
import { textEntries } from './postgres.ts'

const USER = 10_003
const root = join(import.meta.dirname, '../../..')

/**
 * The project's image with the embedded ledger, which it leaves out, and in /stock the seller and the buyer of
 * docs/sellers.md with the stock packages. The layers below are those of the project's image: a node has them once.
 */
export const toolsImage = async (arch: Arch): Promise<Image> => ({
  name: images.tools,
  architecture: debianArch[arch],
  layers: [
    ...(await layersOf(root, arch)),
    { comment: 'ledger, seller and buyer', entries: [...ledgerEntries(), ...stockEntries()] },
  ],
  config: {
    entrypoint: ['node', '/app/bin/svc'],
    env: environmentOf('e2e'),
    user: `${USER}:${USER}`,
    workingDir: '/app',
  },
})

const ledgerEntries = (): Entry[] =>
  treeEntries(join(root, 'src/localnet'), {
    at: 'app/src/localnet',
    // The sources of the Soroban host, of which the ledger loads the WebAssembly.
    keep: (path) => path !== 'host/target' && !path.endsWith('.rs'),
  })

const page = new StockPage('sellers.md')

/** The seller with a listing in the catalog. */
const seller = () =>
  page.file(
    'express.mjs',
    ...['import { bazaar', 'registerExtension', 'extensions: declare'].map((words) =>
      page.change(words),
    ),
  )

const stockEntries = (): Entry[] => [
  ...treeEntries(join(root, 'test/fixtures/stock-newest/node_modules'), {
    at: 'stock/node_modules',
    // A third of the files are types, maps and pages.
    keep: (path, kind) => kind !== 'file' || /\.(js|cjs|mjs|json|wasm)$/.test(path),
  }),
  ...textEntries('stock/express.mjs', 0o644, seller()),
  ...textEntries('stock/client.mjs', 0o644, page.file('client.mjs')),
]
