import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * A Jest transform that keeps a module out of Jest's sandbox: instead of its source a test gets the exports of the one
 * that Node loaded. Loading the application and large packages again for each of about two hundred files took half of a
 * run.
 */
const require = createRequire(import.meta.url);

/** The global setup, which runs before there is a worker, is not in the sandbox. */
const isWorker = () => process.env.JEST_WORKER_ID !== undefined;

function codeFor(source, filename, { supportsStaticESM }) {
  if (!isWorker()) return source;
  const native = `nativeRequire(${JSON.stringify(filename)})`;
  if (!supportsStaticESM) return `module.exports = ${native};`;
  const names = Object.keys(require(filename)).filter((name) => name !== 'default');
  return `const native = ${native};\nexport const { ${names.join(', ')} } = native;\nexport default native.default;\n`;
}

export default {
  getCacheKey: (source, filename, options) =>
    createHash('sha256')
      .update(JSON.stringify([filename, codeFor(source, filename, options)]))
      .digest('hex'),
  process: (source, filename, options) => ({ code: codeFor(source, filename, options) }),
};
