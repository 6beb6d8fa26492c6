import { describeSellers } from './facilitator.ts'
import { oldestNode } from './support/runtimes.ts'

describeSellers(oldestNode, 'stock-2.9')
