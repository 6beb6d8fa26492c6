/**
 * Prints a text of any length to standard output and resolves when the reader has it. A pipe takes 64 KiB at once, and a
 * command that returns ends the process: the rest would be lost. Also resolves when the reader has closed the pipe.
 */
export const printWhole = (text: string): Promise<void> =>
  new Promise((resolve) => {
    const { stdout } = process
    const done = () => {
      stdout.off('error', done)
      resolve()
    }
    stdout.once('error', done)
    stdout.write(text, done)
  })
