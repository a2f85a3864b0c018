#!/usr/bin/env node
/*
 * The operator's command line: `npx platform <command>`, or `node scripts/platform.js <command>`. `platform --help` lists the
 * commands. In a fresh clone it installs the packages first.
 */
import('./node-version.js').then(() => import('./platform/main.js')).then(({ main }) => main(process.argv.slice(2)));
