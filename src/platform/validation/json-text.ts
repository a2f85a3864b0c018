import { type Issue, MAX_ISSUES } from '../errors/app-error.js';
import type { IssueCode, IssueParams } from '../errors/issue-codes.js';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_KEYS = 1_000;

/**
 * Finds what PostgreSQL would reject or silently change, before it gets there: NUL and lone surrogates in text, keys
 * that JavaScript treats as its own, objects with more than 1,000 keys. Stops at 100 issues. Depth is limited by the
 * JSON scanner.
 */
export function inspectText(value: unknown, path = ''): Issue[] {
  const inspection = new TextInspection();
  inspection.inspect(value, path === '' ? [] : [path]);
  return inspection.issues;
}

class TextInspection {
  readonly issues: Issue[] = [];

  inspect(value: unknown, path: string[]): void {
    if (typeof value === 'string') this.inspectString(value, path);
    else if (Array.isArray(value)) this.inspectMembers(value.entries(), path);
    else if (typeof value === 'object' && value !== null) this.inspectObject(Object.entries(value), path);
  }

  private inspectObject(entries: [string, unknown][], path: string[]): void {
    if (entries.length > MAX_KEYS)
      this.add(path, `has more than ${MAX_KEYS} members`, 'too_many_members', { max: MAX_KEYS });
    else this.inspectMembers(entries, path);
  }

  private inspectMembers(members: Iterable<[key: string | number, value: unknown]>, path: string[]): void {
    for (const [key, value] of members) {
      if (this.issues.length >= MAX_ISSUES) return;
      const name = String(key);
      this.inspectString(name, path);
      // The path is joined for issues only: joined for each value it would cost more than the values.
      path.push(name);
      if (FORBIDDEN_KEYS.has(name)) this.add(path, 'This name is not allowed', 'forbidden_name');
      else this.inspect(value, path);
      path.pop();
    }
  }

  private inspectString(text: string, path: string[]): void {
    if (text.includes('\0')) this.add(path, 'NUL is not allowed in text', 'nul');
    else if (!text.isWellFormed()) this.add(path, 'Text must be well-formed Unicode', 'ill_formed_text');
  }

  private add(path: string[], message: string, code: IssueCode, params?: IssueParams): void {
    this.issues.push({ path: path.join('.'), message, code, ...(params && { params }) });
  }
}
