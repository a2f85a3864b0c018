import type { Issue } from '../errors/app-error.js';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_KEYS = 1_000;

/**
 * What PostgreSQL would refuse or silently change, found before it gets there: NUL and lone surrogates in text, keys
 * that JavaScript treats as its own, objects with more than 1,000 keys. Depth is bounded by the parser (32).
 */
export function inspectText(value: unknown, path = ''): Issue[] {
  if (typeof value === 'string') return inspectString(value, path);
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => inspectText(item, join(path, String(index))));

  const entries = Object.entries(value);
  if (entries.length > MAX_KEYS) return [{ path, message: `holds more than ${MAX_KEYS} members`, code: 'maxKeys' }];
  return entries.flatMap(([key, item]) => {
    if (FORBIDDEN_KEYS.has(key))
      return [{ path: join(path, key), message: 'This name is not allowed', code: 'forbiddenKey' }];
    return [...inspectString(key, path), ...inspectText(item, join(path, key))];
  });
}

function inspectString(text: string, path: string): Issue[] {
  if (text.includes('\0')) return [{ path, message: 'NUL is not allowed in text', code: 'noNul' }];
  return text.isWellFormed() ? [] : [{ path, message: 'Text must be well-formed Unicode', code: 'wellFormed' }];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
