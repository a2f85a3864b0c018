import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { PROJECT } from '../launcher/folders.js';

const SOURCE = `
export class Tour {
  /**
   * Name; use title instead.
   *
   * @deprecated
   */
  name!: string;
  /** Title */
  title!: string;
}`;

interface Plugin {
  before: (options: object, program: ts.Program) => ts.TransformerFactory<ts.SourceFile>;
}

/** The output of the compiler for a DTO, with the plugin of the API document and its settings of the build. */
async function compiled(text: string): Promise<string> {
  const { compilerOptions } = JSON.parse(readFileSync(join(PROJECT, 'nest-cli.json'), 'utf8')) as {
    compilerOptions: { plugins: [{ name: string; options: object }] };
  };
  const [{ name, options }] = compilerOptions.plugins;
  const plugin = (await import(`${name}/plugin`)) as Plugin;
  const host = ts.createCompilerHost({});
  host.getSourceFile = (file, language) =>
    file === 'tour.dto.ts' ? ts.createSourceFile(file, text, language, true) : undefined;
  let output = '';
  host.writeFile = (_, written) => (output += written);
  const settings = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, noLib: true, types: [] };
  const program = ts.createProgram(['tour.dto.ts'], settings, host);
  program.emit(undefined, undefined, undefined, false, { before: [plugin.before(options, program)] });
  return output;
}

it('a property with @deprecated in its comment is deprecated in the API document, and the others are not', async () => {
  const [, metadata = ''] = /return (\{ name.*\});/.exec(await compiled(SOURCE)) ?? [];
  expect(metadata).toContain('description: "Name; use title instead.", deprecated: true }, title:');
  expect(metadata.match(/deprecated/g)).toHaveLength(1);
});
