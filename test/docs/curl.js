#!/usr/bin/env node
/* Stands in for curl on machines that have none: the options that our papers use, and no others. */
const options = { method: null, headers: {}, data: null, user: null, fail: false, url: null };
const takers = {
  '-X': (value) => (options.method = value),
  '-H': (value) => (options.headers[value.slice(0, value.indexOf(':'))] = value.slice(value.indexOf(':') + 1).trim()),
  '-d': (value) => (options.data = value),
  '-u': (value) => (options.user = value),
};
const words = process.argv.slice(2);
while (words.length > 0) {
  const word = words.shift();
  if (word in takers) takers[word](words.shift());
  else if (word === '--fail-with-body') options.fail = true;
  else if (/^https?:/.test(word)) options.url = word;
  else if (word !== '-sS') throw new Error(`this curl does not know ${word}`);
}
if (options.user) options.headers.Authorization = `Basic ${Buffer.from(options.user).toString('base64')}`;
if (options.data !== null) options.headers['Content-Type'] ??= 'application/x-www-form-urlencoded';
const method = options.method ?? (options.data === null ? 'GET' : 'POST');
const answer = await fetch(options.url, { method, headers: options.headers, body: options.data ?? undefined });
process.stdout.write(await answer.text());
if (options.fail && answer.status >= 400) process.exitCode = 22;
