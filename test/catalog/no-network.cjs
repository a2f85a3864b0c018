'use strict';
const dns = require('node:dns');
const net = require('node:net');
const { threadId } = require('node:worker_threads');

/*
 * Preloaded in each thread of a service, to allow connections to the loopback interface only. Other attempts are written
 * to the standard error, however the service handles the error.
 */
const isHere = (host) => /^(127\.|::1$|localhost$)/.test(host);

function refuse(what) {
  process._rawDebug(`refused ${what}`);
  throw new Error(`There is no network: ${what}`);
}

function hostOf([first, second]) {
  const options = Array.isArray(first) ? first[0] : first;
  if (typeof options === 'object') return options.path ? 'localhost' : (options.host ?? 'localhost');
  return typeof second === 'string' ? second : 'localhost';
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const host = hostOf(given);
  return isHere(host) ? connect.apply(this, given) : refuse(host);
};

for (const resolver of [dns, dns.promises]) {
  const { lookup } = resolver;
  resolver.lookup = (host, ...rest) => (isHere(host) ? lookup(host, ...rest) : refuse(host));
}

// Proves that the guard works in this thread.
try {
  net.connect(443, '192.0.2.1');
} catch (error) {
  process._rawDebug(`thread ${threadId}: ${error.message}`);
}
