import { newestNode } from '../support/runtimes.ts'
import { contractTests } from './localnet-node-test.ts'

contractTests(newestNode)
