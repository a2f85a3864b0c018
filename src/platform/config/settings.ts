import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { tlsFault, withPostgresTlsModes } from './database-tls.js';

/** One environment variable: its purpose, its allowed values and its default. */
export interface Setting<T> {
  readonly name: string;
  readonly purpose: string;
  readonly expected: string;
  readonly example: string;
  /** The default; undefined if the variable is required. */
  readonly fallback?: string;
  /** One machine in production needs a value for it. The others are optional: their defaults serve most installations. */
  readonly isCore?: true;
  /** The example is a placeholder for the operator's own value; production rejects it. */
  readonly isPlaceholder?: true;
  /** Returns the value, or throws an Error with a message for the operator. */
  parse(text: string): T;
}

type Words = Pick<Setting<unknown>, 'name' | 'purpose' | 'example' | 'isCore' | 'isPlaceholder'> & {
  fallback?: string;
};

export function text(words: Words, maxLength = 500): Setting<string> {
  return {
    ...words,
    expected: `text of at most ${maxLength} characters`,
    parse: (value) => (value.length <= maxLength ? value : reject(`has ${value.length} characters`)),
  };
}

/** Node.js creates a folder in these file systems of the kernel in an endless loop. */
const KERNEL = /^\/(proc|sys)(\/|$)/;

export function folder(words: Words): Setting<string> {
  const path = text(words);
  return {
    ...words,
    expected: 'a folder outside /proc and /sys',
    parse: (value) => (KERNEL.test(resolve(value)) ? reject('is a folder that cannot be created') : path.parse(value)),
  };
}

/** A text that may be absent, which is null; `form` is described by `expected`. */
export function optionalText(words: Words & { expected: string; form: Pick<RegExp, 'test'> }): Setting<string | null> {
  return {
    ...words,
    fallback: '',
    parse: (value) => (value === '' ? null : words.form.test(value) ? value : reject('has the wrong form')),
  };
}

export function wholeNumber(words: Words & { min: number; max: number }): Setting<number> {
  const { min, max } = words;
  return {
    ...words,
    expected: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = Number(value);
      if (!/^\d+$/.test(value)) return reject('is not a whole number');
      return number >= min && number <= max ? number : reject('is out of range');
    },
  };
}

export function factor(words: Words): Setting<number> {
  return {
    ...words,
    expected: 'a number above 0, at most 1000000',
    parse: (value) => {
      const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : 0;
      return number > 0 && number <= 1_000_000 ? number : reject('is not a number in this range');
    },
  };
}

export function ratio(words: Words): Setting<number> {
  return {
    ...words,
    expected: 'a number from 0 to 1',
    parse: (value) => {
      const number = /^\d(\.\d+)?$/.test(value) ? Number(value) : 2;
      return number <= 1 ? number : reject('is not a number in this range');
    },
  };
}

/** A comma separated list of `name=value`, the values percent-encoded. The faults do not repeat a value, which may be secret. */
export function headers(words: Words): Setting<Record<string, string>> {
  return {
    ...words,
    fallback: '',
    expected: 'a list of name=value',
    parse: (value) => {
      const entries = value === '' ? [] : value.split(',').map((entry) => entry.trim());
      return Object.fromEntries(entries.map((entry) => headerOf(entry)));
    },
  };
}

export function flag(words: Words): Setting<boolean> {
  return {
    ...words,
    expected: 'true or false',
    parse: (value) => (value === 'true' ? true : value === 'false' ? false : reject('is not true or false')),
  };
}

export function choice(words: Words, choices: readonly string[]): Setting<string> {
  return {
    ...words,
    expected: `one of ${choices.join(', ')}`,
    parse: (value) => (choices.includes(value) ? value : reject('is not one of these values')),
  };
}

/** A comma separated list; `check` returns the error of one entry, or null. */
export function list(words: Words & { expected: string; check: (entry: string) => string | null }): Setting<string[]> {
  return {
    ...words,
    parse: (value) => {
      const entries = value === '' ? [] : value.split(',').map((entry) => entry.trim());
      if (entries.includes('')) reject('has an empty member');
      for (const entry of entries) {
        const fault = words.check(entry);
        if (fault) reject(fault);
      }
      return entries;
    },
  };
}

export function postgresUrl(words: Words): Setting<string> {
  return {
    ...words,
    expected: 'postgres://user:password@host:port/database',
    parse: (value) => {
      const url = URL.canParse(value) ? new URL(value) : reject('is not a URL');
      if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') reject('does not start with postgres://');
      if (url.pathname.length <= 1) reject('names no database');
      const fault = tlsFault(url);
      return fault === null ? withPostgresTlsModes(value) : reject(fault);
    },
  };
}

/** The same, or null if absent. */
export function optionalPostgresUrl(words: Words): Setting<string | null> {
  const required = postgresUrl(words);
  return { ...required, fallback: '', parse: (value) => (value === '' ? null : required.parse(value)) };
}

/** The address of a mail server with its password; null if absent. */
export function smtpUrl(words: Words): Setting<string | null> {
  return {
    ...words,
    fallback: '',
    expected: 'smtp:// or smtps://user:password@host:port',
    parse: (value) => {
      if (value === '') return null;
      const url = URL.canParse(value) ? new URL(value) : reject('is not a URL');
      if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') reject('starts with neither smtp:// nor smtps://');
      return url.hostname === '' ? reject('names no host') : value;
    },
  };
}

/** A part of a bucket: all keys that start with the prefix and a slash; without a prefix the whole bucket. */
export interface S3Location {
  bucket: string;
  prefix: string;
}

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_.*'()-]{1,100}){0,8})\/?$/;

/** A part of a bucket, or `local` for the folder of files; null if absent. */
export function fileStore(words: Words): Setting<S3Location | 'local' | null> {
  return {
    ...words,
    fallback: '',
    expected: 's3://bucket or s3://bucket/prefix, or local',
    parse: (value) => {
      if (value === '' || value === 'local') return value || null;
      const [, bucket, path = ''] = S3_URL.exec(value) ?? [];
      return bucket === undefined ? reject('has the wrong form') : { bucket, prefix: path.slice(1) };
    },
  };
}

export function timeZone(words: Words): Setting<string> {
  return {
    ...words,
    expected: 'an IANA time zone',
    parse: (value) => {
      try {
        return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone;
      } catch {
        return reject('is not a time zone known to this machine');
      }
    },
  };
}

/**
 * Whether an address or network in CIDR form can be an entry of `TRUSTED_PROXIES`. Every entry that passes is one that
 * Express accepts; a network of all addresses would let each client choose the address it is limited by.
 */
export function addressFault(entry: string): string | null {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return `contains '${entry}', which is not an IP address or network`;
  const bits = version === 6 ? 128 : 32;
  if (prefix === undefined) {
    return isUnspecified(address) ? `contains '${entry}', which is not the address of a proxy` : null;
  }
  if (rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > bits) {
    return `contains '${entry}', whose prefix length is not a whole number from 1 to ${bits}`;
  }
  const mapsAll = isMapped(address) && Number(prefix) <= MAPPED_PREFIX;
  if (Number(prefix) === 0 || mapsAll) return `contains '${entry}', which trusts every address`;
  const shortest = SHORTEST_PREFIX[version === 6 ? 6 : 4];
  return Number(prefix) < shortest ? `contains '${entry}', a network larger than /${shortest}` : null;
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/i;

/** Whether an address, a network in CIDR form or a host name can be an entry of `EGRESS_ALLOW`. */
export function egressFault(entry: string): string | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(entry) ?? [];
  if (port !== undefined) {
    const host = bracketed ?? plain ?? '';
    const isTarget = Number(port) >= 1 && Number(port) <= 65_535 && !host.includes('/') && egressFault(host) === null;
    return isTarget ? null : `contains '${entry}', which is not an address or host name with a port`;
  }
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0) {
    const isName = prefix === undefined && HOST_NAME.test(entry) && !/^[\d.]+$/.test(entry);
    return isName ? null : `contains '${entry}', which is not an IP address, network or host name`;
  }
  if (prefix === undefined && !address.includes('%')) return null;
  const isPrefix = rest.length === 0 && /^[1-9]\d{0,2}$/.test(prefix ?? '');
  return isPrefix && !address.includes('%') && Number(prefix) <= (version === 6 ? 128 : 32)
    ? null
    : `contains '${entry}', which is not a network in CIDR form`;
}

/** The largest private networks are 10.0.0.0/8 (RFC 1918) and fc00::/7 (RFC 4193). */
const SHORTEST_PREFIX = { 4: 8, 6: 7 };

/** `::ffff:0:0/96` contains every IPv4 address. */
const MAPPED_PREFIX = 96;

function isMapped(address: string): boolean {
  return isIP(address) === 6 && /^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(new URL(`http://[${address}]`).hostname);
}

function isUnspecified(address: string): boolean {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname === '[::]' : address === '0.0.0.0';
}

export function originFault(entry: string): string | null {
  const isOrigin = URL.canParse(entry) && new URL(entry).origin === entry && entry.startsWith('http');
  return isOrigin ? null : `contains '${entry}', which is not an origin such as https://office.example.com`;
}

function headerOf(entry: string): [name: string, value: string] {
  const [, name, encoded] = /^([\w-]+) *= *([\x21-\x7e]+)$/.exec(entry) ?? reject('has an entry of another form');
  let value = '';
  try {
    value = decodeURIComponent(encoded ?? '');
  } catch {
    reject('has a value that is not percent-encoded');
  }
  return /^[\x20-\x7e]+$/.test(value) ? [name ?? '', value] : reject('has a value with other characters than ASCII');
}

function reject(message: string): never {
  throw new Error(message);
}
