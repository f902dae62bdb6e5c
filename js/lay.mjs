// Lays the JavaScript part of the npm package into a folder: `node lay.mjs FOLDER [node_modules with typescript]`.
// Both builds with their types, the published package.json, folders for tools that do not read its exports map, and what
// React Native's autolinking and codegen read.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = dirname(fileURLToPath(import.meta.url));
// The extension of a file says nothing of its kind; the nearest package.json does.
const BUILDS = [
  { folder: 'esm', config: 'tsconfig.json', type: 'module' },
  { folder: 'cjs', config: 'tsconfig.cjs.json', type: 'commonjs' },
];
const SPEC = 'NativeWsp.ts';

function writeJson(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

function compile(target, modules) {
  for (const { folder, config, type } of BUILDS) {
    const output = join(target, 'lib', folder);
    const tsc = join(modules, 'typescript', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, '-p', join(SOURCE, config), '--outDir', output], { stdio: 'inherit' });
    nameSources(output);
    writeJson(join(output, 'package.json'), { type });
  }
}

// Where this was built is nobody's business, and the same sources give the same package everywhere.
function nameSources(output) {
  for (const name of readdirSync(output, { recursive: true }).filter((path) => path.endsWith('.map'))) {
    const path = join(output, name);
    const map = JSON.parse(readFileSync(path, 'utf8'));
    map.sources = map.sources.map((source) => {
      const inside = relative(SOURCE, resolve(dirname(path), source));
      return `wsp.rn/${inside.split(sep).join('/')}`;
    });
    writeFileSync(path, JSON.stringify(map));
  }
}

// Bundlers before React Native 0.79 and TypeScript's node10 look for a folder of the subpath's name.
function writeRedirects(target, manifest) {
  for (const [subpath, entry] of Object.entries(manifest.exports)) {
    if (subpath === '.' || typeof entry === 'string') {
      continue;
    }
    const up = posix.relative(subpath, '.');
    const { default: main, types } = entry.require;
    writeJson(join(target, subpath, 'package.json'), { main: posix.join(up, main), types: posix.join(up, types) });
  }
}

// React Native reads its spec as a source, before an app is built.
function writeSpec(target, { codegenConfig }) {
  mkdirSync(join(target, codegenConfig.jsSrcsDir), { recursive: true });
  cpSync(join(SOURCE, 'src', 'generated', SPEC), join(target, codegenConfig.jsSrcsDir, SPEC));
}

const [target, modules = join(SOURCE, 'node_modules')] = process.argv.slice(2).map((path) => resolve(path));
if (target === undefined) {
  console.error('usage: node lay.mjs FOLDER [NODE_MODULES]');
  process.exit(2);
}
const { scripts: _scripts, devDependencies: _tools, ...manifest } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8'));
compile(target, modules);
writeRedirects(target, manifest);
writeSpec(target, manifest);
writeJson(join(target, 'package.json'), manifest);
for (const name of ['README.md', 'react-native.config.js']) {
  cpSync(join(SOURCE, name), join(target, name));
}
cpSync(join(SOURCE, '..', 'LICENSE'), join(target, 'LICENSE'));
