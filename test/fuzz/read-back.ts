import { isDeepStrictEqual } from 'node:util';

/**
 * Sent values that are not returned unchanged: text must be kept exactly or rejected. Members that the response does
 * not have are ignored. Documented normalisations of the service are accepted: trimming, `""` and an empty object for
 * null, null for no entries, addresses in lower case, telephone numbers without punctuation, instants in UTC, lists of
 * names in another order, records in the order of their `position`.
 */
export function losses(sent: unknown, read: unknown, path = ''): string[] {
  if (isRecord(sent) && isRecord(read)) {
    const common = Object.keys(sent).filter((name) => Object.hasOwn(read, name));
    return common.flatMap((name) => losses(sent[name], read[name], path === '' ? name : `${path}.${name}`));
  }
  if (isList(sent) && isList(read) && sent.length === read.length) {
    if (isDeepStrictEqual(sorted(sent), sorted(read))) return [];
    return byPosition(sent).flatMap((item, index) => losses(item, read[index], `${path}.${index}`));
  }
  return isKept(sent, read) ? [] : [`${path}: sent ${shown(sent)}, read ${shown(read)}`];
}

/** Free-form JSON and encrypted texts are the caller's: they are returned exactly. */
export function exactLosses(sent: unknown, read: unknown, path: string): string[] {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
  return isDeepStrictEqual(plain(sent), plain(read)) ? [] : [`${path}: sent ${shown(sent)}, read ${shown(read)}`];
}

function isKept(sent: unknown, read: unknown): boolean {
  if (Object.is(sent, -0)) return read === 0;
  if (sent === read) return true;
  if (sent === null) return isList(read) && read.length === 0;
  if (isRecord(sent) && read === null) return Object.values(sent).every((member) => isKept(member, null));
  if (typeof sent !== 'string') return false;
  const trimmed = sent.trim();
  if (typeof read !== 'string') return read === null && trimmed === '';
  const isAddress = trimmed.includes('@') && trimmed.toLowerCase() === read;
  const isTelephone = /^\+[\d\s()./-]+$/.test(trimmed) && `+${trimmed.replace(/\D/g, '')}` === read;
  const isInstant = /^\d{4}-\d\d-\d\dT/.test(trimmed) && Date.parse(trimmed) === Date.parse(read);
  const isNumber = /^\d+\.\d+$/.test(trimmed) && trimmed.replace(/\.?0+$/, '') === read.replace(/\.0+$/, '');
  return trimmed === read || isAddress || isTelephone || isInstant || isNumber;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200);
}

/** A record without a position has its index. */
function byPosition(list: readonly unknown[]): unknown[] {
  const hasPositions = list.some((item) => isRecord(item) && typeof item['position'] === 'number');
  if (!hasPositions) return [...list];
  const positions = list.map((item, index) => (isRecord(item) ? Number(item['position'] ?? index) : index));
  return list
    .map((item, index) => ({ item, at: positions[index] ?? index }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Compares JSON texts, because a sent object need not have a `toString`. */
function sorted(list: readonly unknown[]): string[] {
  return list.map((item) => JSON.stringify(item) ?? '').sort();
}
