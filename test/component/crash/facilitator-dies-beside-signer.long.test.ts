import { frozenThenResumed, restarted, takenOver } from '../../support/crash-disasters.ts'
import { describeDisaster } from './matrix.ts'
import { inSidecar, inToken } from './sponsor-places.ts'

describeDisaster(restarted, inToken)
describeDisaster(takenOver, inToken)
describeDisaster(takenOver, inSidecar)
describeDisaster(frozenThenResumed, inSidecar)
