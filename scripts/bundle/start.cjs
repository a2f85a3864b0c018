// @ts-check
const { existsSync, readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

/*
 * Starts the bundled service with the code that V8 compiled at build time. V8 compiles the bundle again if its version or its
 * flags differ, or if this code is missing, which only takes longer.
 */
const filename = join(__dirname, 'service.cjs');
const compiled = `${filename}.cache`;
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: existsSync(compiled) ? readFileSync(compiled) : undefined,
});
const service = { exports: {} };
script.runInThisContext()(service.exports, createRequire(filename), service, filename, __dirname);
void service.exports.startService();
