const { existsSync } = require('node:fs');
const { join, resolve, sep } = require('node:path');
const resolveSource = require('./source-resolver.cjs');

const ROOT = join(__dirname, '../..');
const DIST = join(ROOT, 'dist');
const SOURCES = join(ROOT, 'src') + sep;
const TESTS = join(ROOT, 'test') + sep;

/** Module resolution of API and system tests: they use the application in `dist`, the output of the build. */
module.exports = function resolveModule(request, options) {
  const from = options.basedir + sep;
  if (!from.startsWith(TESTS) || !/^\.{1,2}\/.*\.js$/.test(request)) return resolveSource(request, options);

  const wanted = resolve(options.basedir, request);
  const isApplication = wanted.startsWith(SOURCES) || wanted === join(ROOT, 'ormconfig.js');
  return isApplication ? built(wanted) : resolveSource(request, options);
};

function built(wanted) {
  const file = join(DIST, wanted.slice(ROOT.length));
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm run build' first ('npm test' does)`);
  return file;
}
