import { type Question, unreadQuestion } from './question.ts'
import { takeAsset } from './take-asset.ts'
import { takeNetwork } from './take-network.ts'
import { takeFree, takePrice, takeUnitlessPrice } from './take-price.ts'
import { takeScheme } from './take-scheme.ts'
import { takeTool, takeType } from './take-type.ts'

/**
 * Reads the constraints that a question names: price ceiling, assets, networks, type and scheme, and their negations. The
 * words that name them are taken out of `rest`; a question that names nothing is left as it is. `symbols` are the assets
 * of the catalog, in upper case: they are read in upper case only, since anyone can name an asset as a common word.
 */
export function parseQuestion(query: string, symbols: readonly string[] = []): Question {
  const known = new Set([...symbols, 'USDC', 'EURC', 'XLM'])
  const priced = takeFree(takePrice(unreadQuestion(query), known))
  // Assets first: "USDC on testnet" is an asset because of the network beside it.
  const paid = takeUnitlessPrice(takeAsset(priced, known))
  return takeTool(takeType(takeScheme(takeNetwork(paid))))
}
