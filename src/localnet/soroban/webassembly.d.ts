// Node has WebAssembly, its type package does not, and the DOM's library would bring far more
// than this. Only what the binding uses.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
    static imports(module: Module): { module: string; name: string; kind: string }[]
  }
  class Memory {
    readonly buffer: ArrayBuffer
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: Record<string, unknown>
  }
  class RuntimeError extends Error {}
}
