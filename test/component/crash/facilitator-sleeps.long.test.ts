import { frozenThenResumed } from '../../support/crash-disasters.ts'
import { describeDisaster } from './matrix.ts'

describeDisaster(frozenThenResumed)
