import { describeSellers } from './facilitator.ts'
import { newestNode } from './support/runtimes.ts'

describeSellers(newestNode, 'stock-newest')
