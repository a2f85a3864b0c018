export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The day on which every example seems to be recorded. */
const RECORDED_ON_MS = Date.parse('2026-03-02');
/** One item shows the form of a list. */
const LONGEST_LIST = 1;
/** Lists of a fixed length. */
const WHOLE_LISTS = ['buckets', 'recoveryCodes'];
const TYPE_ID = /\b([a-z]+)_([0-7][0-9a-hjkmnp-tv-z]{25})\b/g;
/** This id opens a contract, so all of its characters are random. */
const PUBLIC_CONTRACT_ID = /\bctr_[0-9a-hjkmnp-tv-z]{26}\b/g;
const FILE_LINK = /\/v1\/files\/[\w-]+\.[\w-]{22}/g;
const PLACEHOLDER_SUFFIX = '01k0examp1e';

/** Random values by their member. Secrets are marked as examples. */
const MEMBERS: Record<string, (text: string) => string> = {
  token: exampleSecret,
  access_token: exampleSecret,
  clientSecret: exampleSecret,
  secret: exampleSecret,
  deviceToken: exampleSecret,
  ticket: exampleSecret,
  recoveryCodes: (text) => text.replace(/\w{4}/g, '0000'),
  otpauthUri: (text) => text.replace(/(?<=secret=)[A-Z2-7]+/, (secret) => 'EXAMPLE'.padEnd(secret.length, 'A')),
  ciphertext: () => 'RXhhbXBsZSBjaXBoZXJ0ZXh0',
  nextCursor: () => 'RXhhbXBsZSBjdXJzb3I',
  next_cursor: () => 'RXhhbXBsZSBjdXJzb3I',
  sha256: () => '0123456789abcdef'.repeat(4),
  bodySha256: () => '0123456789abcdef'.repeat(4),
  termsSha256: () => '0123456789abcdef'.repeat(4),
};

/**
 * Returns a response as in the API document: sent on one fixed day, with placeholders of the right form for random ids and
 * secrets, and with short lists. Another database gives the same example except for time-dependent values.
 */
export function stableExample(answer: Json, today: string): Json {
  const ids = new Map<string, string>();
  const shiftMs = RECORDED_ON_MS - Date.parse(today);

  const stable = (value: Json, member: string): Json => {
    if (Array.isArray(value)) {
      const longest = WHOLE_LISTS.includes(member) ? value.length : LONGEST_LIST;
      return value.slice(0, longest).map((item) => stable(item, member));
    }
    if (typeof value === 'string') return (MEMBERS[member] ?? stableText)(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [stableText(name), stable(inner, name)]));
  };
  const stableText = (text: string): string =>
    text
      .replace(TYPE_ID, (id, prefix: string, suffix: string) => (suffix.startsWith('01k0dem0') ? id : same(id, prefix)))
      .replace(FILE_LINK, `/v1/files/Example-file-link-0000.${'A'.repeat(22)}`)
      .replace(PUBLIC_CONTRACT_ID, `ctr_${PLACEHOLDER_SUFFIX}000000000000001`)
      .replace(/\b(occ)_[A-Za-z0-9]{24}\b/g, (id, prefix: string) => same(id, prefix))
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '01a00000-0000-7000-8000-000000000001')
      .replace(/\b20\d\d-\d\d-\d\d(?=T|\b)/g, (day) => new Date(Date.parse(day) + shiftMs).toISOString().slice(0, 10))
      // Times of demo data are full minutes; all others were recorded, even if they are full seconds.
      .replace(/(?<=\dT)\d\d:\d\d:(?!00\.000Z)\d\d\.\d+Z/g, '09:30:00.000Z')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://api.example.com');
  const same = (id: string, prefix: string): string => {
    const length = id.length - prefix.length - 1 - PLACEHOLDER_SUFFIX.length;
    const placeholder = `${prefix}_${PLACEHOLDER_SUFFIX}${String(ids.size + 1).padStart(length, '0')}`;
    return ids.get(id) ?? (ids.set(id, placeholder), placeholder);
  };
  return stable(answer, '');
}

/** `ocs_<secret>` -> `ocs_Example000...`, of the same length. */
function exampleSecret(text: string): string {
  return text.replace(/(?<=_)[^_]+/g, (part) => 'Example'.padEnd(part.length, '0'));
}

/** Member names by their path, if both values have an object there. */
export function memberDifferences(one: Json, other: Json, place = ''): string[] {
  if (Array.isArray(one) && Array.isArray(other)) {
    const [first, second] = [one[0], other[0]];
    return first === undefined || second === undefined ? [] : memberDifferences(first, second, `${place}[]`);
  }
  if (!isObject(one) || !isObject(other)) return [];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => {
    const [first, second] = [one[name], other[name]];
    if (first === undefined || second === undefined) return [`${place}.${name}`];
    return memberDifferences(first, second, `${place}.${name}`);
  });
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
