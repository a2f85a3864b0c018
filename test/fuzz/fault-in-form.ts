import { recordMutation, type Draft } from './draft.js';
import { isObject, type Json, textOf } from './json.js';
import type { Random } from './random.js';
import { hostileText } from './texts.js';

/** The body as an HTML form, if the operation accepts one: broken, repeated or hostile parameters. */
export function faultInForm(draft: Draft, random: Random): void {
  const members = Object.entries(isObject(draft.body) ? draft.body : {});
  const plain = (value: Json) => (typeof value === 'string' ? value : textOf(value));
  const pairs = members.map(([name, value]) => `${name}=${encodeURIComponent(plain(value).toWellFormed())}`);
  const hostile = encodeURIComponent(hostileText(random).toWellFormed());
  const name = random.pick([...members.map(([known]) => known), 'unknown', '__proto__', 'a[b]', 'a[]', '']);
  const form = random.pick([
    pairs.join('&'),
    [...pairs, `${name}=${hostile}`].join('&'),
    [...pairs.filter((pair) => !pair.startsWith(`${name}=`)), `${name}=${hostile}`].join('&'),
    [...pairs, ...pairs].join('&'),
    pairs.join(';'),
    `${pairs.join('&')}&${name}=%zz`,
    `${pairs.join('&')}&${name}=%00`,
    `${pairs.join('&')}&${name}=%ff`,
    `${pairs.join('&')}&${name}`,
    '&&=&',
    'a=b&'.repeat(2_000),
    'a'.repeat(70_000),
  ]);
  draft.contentType = random.pick([
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-Urlencoded; charset=UTF-8',
  ]);
  draft.bytes = Buffer.from(form);
  recordMutation(draft, `the form ${form.slice(0, 80)}`);
}
