import { describeInstalled, describeNpx } from './install.ts'
import { newestNode, oldestNode } from './support/runtimes.ts'

describeInstalled(newestNode)
for (const runtime of [oldestNode, newestNode]) describeNpx(runtime)
