import { fstatSync, fsyncSync, writeSync } from 'node:fs'

/**
 * Prints a text of any length to standard output and resolves when the pipe has taken it, or it is on the disk. A pipe takes 64 KiB at once, and a
 * command that returns ends the process: the rest would be lost.
 *
 * @returns the error when it could not be written whole, for instance because the reader has closed the pipe, or the disk is full
 */
export async function printWhole(text: string): Promise<Error | undefined> {
  const { stdout } = process
  if (isFile(stdout.fd)) return writeWhole(stdout.fd, text)
  return new Promise((resolve) => {
    stdout.once('error', resolve)
    stdout.write(text, (error) => {
      // An error comes here first, and then as an event, which would end the process if nobody heard it.
      if (!error) stdout.off('error', resolve)
      resolve(error ?? undefined)
    })
  })
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

/** The stream of a file takes no notice of a disk that has room for a part only. */
function writeWhole(fd: number, text: string): Error | undefined {
  const bytes = Buffer.from(text)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
    fsyncSync(fd)
    return undefined
  } catch (error) {
    return error as Error
  }
}
