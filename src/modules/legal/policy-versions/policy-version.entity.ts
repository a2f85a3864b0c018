import { named } from '../../../platform/http/named-values.js';
import canonicalize from 'canonicalize';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { digestOf, sanitizeBody } from '../texts/document-text.js';
import type { PolicyRule } from './policy-rule.js';

export const VERSION_STATUSES = named('PolicyVersionStatus', ['draft', 'published', 'retired']);
export type VersionStatus = (typeof VERSION_STATUSES)[number];

const MOVES: Record<VersionStatus, readonly VersionStatus[]> = {
  draft: ['published'],
  published: ['retired'],
  retired: [],
};

/** One text of a policy. A transaction that changes it or its rules locks the policy. */
@Entity('policy_versions')
export class PolicyVersion {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'policy_id' }) policyId: string;
  @Column('integer') number: number;
  @Impersonal()
  @Column('text')
  title: string;
  @Impersonal()
  @Unaudited('a long text; `sha256` proves it')
  @Column('text')
  body: string;
  @Column('text') status: VersionStatus;
  @Column('text', { nullable: true }) sha256: string | null;
  @Column('timestamptz', { name: 'published_at', nullable: true }) publishedAt: Date | null;
  @Column('timestamptz', { name: 'retired_at', nullable: true }) retiredAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: { title?: string; body?: string }, now: Date): void {
    if (this.status !== 'draft') {
      throw conflict('policy_version_immutable', 'Only a draft can be changed', { status: this.status });
    }
    Object.assign(this, changes, { updatedAt: now });
  }

  /** Sanitizes the text and freezes it with the rules and their digest. */
  publish(rules: readonly PolicyRule[], now: Date): void {
    this.move('published', now);
    this.body = sanitizeBody(this.body);
    this.sha256 = this.digest(rules);
    this.publishedAt = now;
  }

  retire(now: Date): void {
    this.move('retired', now);
    this.retiredAt = now;
  }

  /** SHA-256 of the canonical JSON (RFC 8785) of `{body, rules, title}`. */
  digest(rules: readonly PolicyRule[]): string {
    const { title, body } = this;
    return digestOf(canonicalize({ title, body, rules }) ?? '');
  }

  /** The snapshot omits the text, which its digest proves. */
  auditImage(rules: readonly PolicyRule[]): object {
    return { ...imageOf(this), sha256: this.sha256 ?? this.digest(rules) };
  }

  private move(status: VersionStatus, now: Date): void {
    const allowed = MOVES[this.status];
    if (!allowed.includes(status)) {
      throw conflict('invalid_transition', `A policy version cannot go from ${this.status} to ${status}`, {
        from: this.status,
        to: status,
        allowed,
      });
    }
    this.status = status;
    this.updatedAt = now;
  }
}

/** A version with its rules, sorted by position. */
export interface VersionView {
  version: PolicyVersion;
  rules: PolicyRule[];
}
