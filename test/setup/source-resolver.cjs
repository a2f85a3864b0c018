const { existsSync } = require('node:fs');
const { join, resolve, sep } = require('node:path');

const ROOT = join(__dirname, '../..');
const OURS = [join(ROOT, 'src') + sep, join(ROOT, 'test') + sep];

/** Module resolution of unit tests: TypeScript sources import each other as `.js` and get the `.ts` file. */
module.exports = function resolveSource(request, options) {
  const isOurs = OURS.some((folder) => (options.basedir + sep).startsWith(folder));
  if (!isOurs || !/^\.{1,2}\/.*\.js$/.test(request)) return options.defaultResolver(request, options);

  const wanted = resolve(options.basedir, request);
  return existsSync(wanted) ? wanted : options.defaultResolver(wanted.replace(/\.js$/, '.ts'), options);
};
