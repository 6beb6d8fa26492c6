/**
 * Prints a text of any length to standard output and resolves when the reader has it. A pipe takes 64 KiB at once, and a
 * command that returns ends the process: the rest would be lost.
 *
 * @returns the error when it could not be written whole, for instance because the reader has closed the pipe
 */
export const printWhole = (text: string): Promise<Error | undefined> =>
  new Promise((resolve) => {
    const { stdout } = process
    const done = (error?: Error | null) => {
      stdout.off('error', done)
      resolve(error ?? undefined)
    }
    stdout.once('error', done)
    stdout.write(text, done)
  })
