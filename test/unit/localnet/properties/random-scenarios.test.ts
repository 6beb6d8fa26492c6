import { describeScenarios } from './random-scenarios.ts'

describeScenarios(20)
