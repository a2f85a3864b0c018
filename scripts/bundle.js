// @ts-check
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';
import { stampBundle } from './bundle/build-stamp.js';
import { ROOT } from './environment.js';

/*
 * Bundles the built service and its packages into `dist/service`, beside the modules in `dist/src`, and compiles the bundle in
 * advance. A start without the bundle loads 3,300 files and takes 2.5 seconds of CPU time instead of 1.4. `start.cjs` starts it.
 */
const OUTPUT = join(ROOT, 'dist/service');
const BUNDLE = join(OUTPUT, 'service.cjs');
/** Packages with native code, with data files, or for parts that are off by default. */
const EXTERNAL = [
  '@aws-sdk/client-s3',
  '@node-rs/argon2',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/sdk-node',
  '@opentelemetry/sdk-trace',
  // The mapped types of Nest load it from its folder: a copy in the bundle would not know what they inherit.
  'class-transformer',
  'pino',
  'pino-pretty',
  'typescript',
  'usearch',
];
/** Marks the second resolution of a path. */
const UNRESOLVED = 'unresolved';

/**
 * The modules of the service find their data files and threads where the build has put them.
 * @type {import('esbuild').Plugin}
 */
const ownLocations = {
  name: 'own-locations',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/src\/.*\.js$/ }, ({ path }) => {
      const urlOf = (/** @type {string} */ location) => `__urlOf(${JSON.stringify(relative(OUTPUT, location))})`;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', urlOf(path))
        .replaceAll('import.meta.dirname', `require('node:url').fileURLToPath(${urlOf(dirname(path))})`);
      return { contents, loader: 'js' };
    });
  },
};

/**
 * The list of the migrations, which without a bundle is the content of their folder.
 * @type {import('esbuild').Plugin}
 */
const migrationList = {
  name: 'migration-list',
  setup({ onLoad }) {
    onLoad({ filter: /\/dist\/src\/migrations\/index\.js$/ }, ({ path }) => {
      const files = readdirSync(dirname(path)).filter((file) => /^\d+-.*\.js$/.test(file));
      const imports = files.sort().map((file, n) => `import * as m${n} from './${file}';`);
      const list = files.map((_, n) => `...Object.values(m${n})`);
      return { contents: `${imports.join('\n')}\nexport const migrations = [${list.join(', ')}];`, loader: 'js' };
    });
  },
};

/**
 * Packages that are not installed, such as the drivers of other databases, are resolved when they are required.
 * @type {import('esbuild').Plugin}
 */
const optionalPackages = {
  name: 'optional-packages',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === UNRESOLVED || kind === 'entry-point' || path.startsWith('node:')) return undefined;
      const { errors } = await resolve(path, { kind, resolveDir, pluginData: UNRESOLVED });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

await bundle();
compile();
stampBundle(ROOT);

async function bundle() {
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'dist/src/bootstrap/service.js')],
    outfile: BUNDLE,
    write: false,
    bundle: true,
    platform: 'node',
    mainFields: ['main'],
    format: 'cjs',
    target: `node${process.versions.node}`,
    // Nest, TypeORM and the API document use the names of classes.
    keepNames: true,
    legalComments: 'none',
    external: EXTERNAL,
    // Dynamic imports become `require`, because a script that is compiled in advance cannot import.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__ownUrl' },
    banner: {
      js: `(function (exports, require, module, __filename, __dirname) {
const __urlOf = (path) => require('node:url').pathToFileURL(require('node:path').join(__dirname, path)).href;
const __ownUrl = __urlOf('service.cjs');`,
    },
    footer: { js: '})' },
    logLevel: 'warning',
    absWorkingDir: ROOT,
    plugins: [migrationList, ownLocations, optionalPackages],
  });
  writeFileSync(BUNDLE, (outputFiles[0]?.text ?? '').replace(/[^\x00-\x7f]/g, escaped));
  copyFileSync(join(ROOT, 'scripts/bundle/start.cjs'), join(OUTPUT, 'start.cjs'));
}

/**
 * V8 stores a text with characters outside Latin-1 with two bytes per character. esbuild escapes all of them except in regular
 * expressions and comments, where an escape has the same meaning.
 * @param {string} character
 */
function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Stores the compiled code of all functions that the modules call while they are loaded. */
function compile() {
  const script = new Script(readFileSync(BUNDLE, 'latin1'), { filename: BUNDLE });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(BUNDLE), module, BUNDLE, OUTPUT);
  writeFileSync(`${BUNDLE}.cache`, script.createCachedData());
}
