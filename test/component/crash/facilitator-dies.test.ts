import { restarted, takenOver } from '../../support/crash-disasters.ts'
import { describeDisaster } from './matrix.ts'

describeDisaster(restarted)
describeDisaster(takenOver)
