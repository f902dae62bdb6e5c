// Runs a React Native's codegen on a spec: `node codegen.js CODEGEN SPEC FOLDER`. All that it makes of modules lies in FOLDER
// afterwards, below the name of the generator; printed is what it understood.
const { mkdirSync } = require('node:fs');
const { join } = require('node:path');

const [codegen, spec, folder] = process.argv.slice(2);
const { TypeScriptParser } = require(join(codegen, 'lib/parsers/typescript/parser'));
const { generate } = require(join(codegen, 'lib/generators/RNCodegen'));

const schema = new TypeScriptParser().parseFile(spec);
for (const generator of ['modulesCxx', 'modulesIOS', 'modulesAndroid']) {
  const outputDirectory = join(folder, generator);
  mkdirSync(outputDirectory, { recursive: true });
  const options = { libraryName: 'Spec', schema, outputDirectory, packageName: 'spec', assumeNonnull: true };
  if (!generate(options, { generators: [generator] })) {
    throw new Error(`${generator} made nothing`);
  }
}
console.log(JSON.stringify(schema.modules));
