import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { Durations } from './durations.ts'

/** The longest files start first, so that no worker is left alone with one at the end. */
export class LongestFirst extends BaseSequencer {
  readonly #durations = new Durations()

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const secondsOf = ({ moduleId }: TestSpecification) =>
      this.#durations.of(moduleId.slice(root.length + 1))
    return files.toSorted((one, other) => secondsOf(other) - secondsOf(one))
  }
}
