import type { TestProject } from 'vitest/node'
import { type Installed, installPackage } from './installed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    installed: Installed
  }
}

/** Packs and installs once for all files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const installed = await installPackage()
  const { folder, tarball, npm } = installed
  project.provide('installed', { folder, tarball, npm })
  return async () => installed[Symbol.asyncDispose]()
}
