import { describeInstalled } from './install.ts'
import { newestNode } from './support/runtimes.ts'

describeInstalled(newestNode)
