// Runs a program for WASI in node. Usage: node run_wasm.mjs FOLDER PROGRAM ARGUMENTS...; FOLDER is all that it sees, as /.
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { WASI } from 'node:wasi'

const [folder, program, ...words] = process.argv.slice(2)
const wasi = new WASI({
  version: 'preview1',
  args: [program, ...words],
  env: process.env,
  preopens: { '/': folder },
})
const module = await WebAssembly.compile(await readFile(program))
const instance = await WebAssembly.instantiate(module, wasi.getImportObject())
process.exitCode = wasi.start(instance)
