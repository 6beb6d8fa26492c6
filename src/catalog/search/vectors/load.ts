import { open } from 'node:fs/promises'
import { readWordVectors, type WordVectors } from './format.ts'

/** The word vectors that ship with the project. */
const WORDS = new URL('./words.bin', import.meta.url)

/**
 * Reads the word vectors into memory that threads share, so that the process holds them once; null when the file is missing or
 * unreadable, so that search compares words only.
 */
export async function loadWordVectors(file: URL | string = WORDS): Promise<WordVectors | null> {
  try {
    await using handle = await open(file)
    const { size } = await handle.stat()
    const bytes = new Uint8Array(new SharedArrayBuffer(size))
    for (let at = 0; at < size; ) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at)
      if (bytesRead === 0) return null
      at += bytesRead
    }
    return readWordVectors(bytes)
  } catch {
    return null
  }
}
