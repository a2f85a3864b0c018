#!/usr/bin/env node
/* Replaces curl on machines without it: supports the options that the documentation uses. */
import { writeFileSync } from 'node:fs';

const options = { method: null, headers: {}, data: null, user: null, fail: false, url: null };
Object.assign(options, { follow: 'manual', file: null, retries: 0, seconds: null, end: '' });
const takers = {
  '-X': (value) => (options.method = value),
  '-H': (value) => (options.headers[value.slice(0, value.indexOf(':'))] = value.slice(value.indexOf(':') + 1).trim()),
  '-d': (value) => (options.data = value),
  '-u': (value) => (options.user = value),
  '-o': (value) => (options.file = value),
  '-w': (value) => (options.end = value.replaceAll('\\n', '\n')),
  '--max-time': (value) => (options.seconds = Number(value)),
  '--retry': (value) => (options.retries = Number(value)),
};
const words = process.argv.slice(2);
while (words.length > 0) {
  const word = words.shift();
  if (word in takers) takers[word](words.shift());
  else if (word === '--fail-with-body') options.fail = true;
  else if (/^https?:/.test(word)) options.url = word;
  else if (word === '-sSL') options.follow = 'follow';
  else if (word !== '-sS' && word !== '-sN' && word !== '--retry-all-errors')
    throw new Error(`this curl does not know ${word}`);
}
if (options.user) options.headers.Authorization = `Basic ${Buffer.from(options.user).toString('base64')}`;
if (options.data !== null) options.headers['Content-Type'] ??= 'application/x-www-form-urlencoded';
const method = options.method ?? (options.data === null ? 'GET' : 'POST');
const redirect = options.follow;
const ask = () => fetch(options.url, { method, headers: options.headers, body: options.data ?? undefined, redirect });
let answer = await ask();
for (; options.fail && answer.status >= 400 && options.retries > 0; options.retries -= 1) {
  await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get('retry-after') ?? 1)));
  answer = await ask();
}
if (options.seconds !== null) {
  setTimeout(() => process.exit(28), 1000 * options.seconds);
  for await (const chunk of answer.body) process.stdout.write(chunk);
}
const bytes = Buffer.from(await answer.arrayBuffer());
if (options.file === null) process.stdout.write(bytes);
else writeFileSync(options.file, bytes);
process.stdout.write(options.end);
if (options.fail && answer.status >= 400) process.exitCode = 22;
