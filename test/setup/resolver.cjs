const { existsSync } = require('node:fs');
const { join, resolve, sep } = require('node:path');

const ROOT = join(__dirname, '../..');
const DIST = join(ROOT, 'dist');
const SOURCES = join(ROOT, 'src') + sep;
const TESTS = join(ROOT, 'test') + sep;

/**
 * How tests find modules. TypeScript sources name each other with `.js`: a unit test beside the code gets the `.ts`
 * behind it. Tests below `test/` get the application from `dist`, where the build put it.
 */
module.exports = function resolveModule(request, options) {
  const from = options.basedir + sep;
  const isOurs = from.startsWith(SOURCES) || from.startsWith(TESTS);
  if (!isOurs || !/^\.{1,2}\/.*\.js$/.test(request)) return options.defaultResolver(request, options);

  const wanted = resolve(options.basedir, request);
  const isApplication = wanted.startsWith(SOURCES) || wanted === join(ROOT, 'ormconfig.js');
  if (from.startsWith(TESTS) && isApplication) return built(wanted);
  return existsSync(wanted) ? wanted : options.defaultResolver(wanted.replace(/\.js$/, '.ts'), options);
};

function built(wanted) {
  const file = join(DIST, wanted.slice(ROOT.length));
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm run build' first ('npm test' does)`);
  return file;
}
