import { restarted } from '../../support/crash-disasters.ts'
import { describeDisaster } from './matrix.ts'
import { inSidecar } from './sponsor-places.ts'

describeDisaster(restarted, inSidecar)
