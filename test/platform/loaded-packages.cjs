'use strict';
const { writeFileSync } = require('node:fs');

/* Preloaded in a service: writes the names of the packages of OpenTelemetry and AWS that it has loaded when it ends. */
process.on('exit', () => {
  const names = Object.keys(require.cache).map((file) => /@(opentelemetry|aws-sdk)[/\\][^/\\]+/.exec(file)?.[0]);
  const found = [...new Set(names.filter((name) => name !== undefined))].map((name) => name.replace('\\', '/'));
  writeFileSync(process.env.LOADED_PACKAGES, JSON.stringify(found));
});
