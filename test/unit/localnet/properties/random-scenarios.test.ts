import { describeScenarios } from './random-scenarios.ts'

describeScenarios(10)
