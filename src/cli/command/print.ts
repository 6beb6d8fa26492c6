/**
 * Prints a text of any length to standard output and resolves when the reader has it. A pipe takes 64 KiB at once, and a
 * command that returns ends the process: the rest would be lost. Also resolves when the reader has closed the pipe.
 */
export const printWhole = (text: string): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.once('error', () => resolve())
    process.stdout.write(text, () => resolve())
  })
