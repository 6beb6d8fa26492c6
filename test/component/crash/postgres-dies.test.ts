import { postgresFrozen, postgresKilled } from '../../support/crash-disasters.ts'
import { describeDisaster } from './matrix.ts'

describeDisaster(postgresKilled)
describeDisaster(postgresFrozen)
