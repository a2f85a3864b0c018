import { Column, Entity, PrimaryColumn } from 'typeorm';
import { named } from '../../../platform/http/named-values.js';

export const SECURITY_EVENT_KINDS = named('SecurityEventKind', [
  'login',
  'login_rejected',
  'session_ended',
  'password_changed',
  'password_change_rejected',
  'password_reset_requested',
  'password_reset',
  'invitation_accepted',
  'token_created',
  'token_revoked',
  'roles_changed',
  'user_disabled',
  'user_enabled',
  'platform_key_created',
  'platform_key_changed',
]);
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

/** Something that happened to an account or a credential. It never holds an e-mail address. */
@Entity('security_events')
export class SecurityEvent {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: SecurityEventKind;
  /** The user whose account or credential it is; null for an unknown address and for platform keys. */
  @Column('text', { name: 'user_id', nullable: true }) userId: string | null;
  /** The caller who caused it: a user, an API token or `system`; null before a login. */
  @Column('text', { name: 'actor_id', nullable: true }) actorId: string | null;
  /** The session, token or key that it is about. */
  @Column('text', { name: 'subject_id', nullable: true }) subjectId: string | null;
  /** Address and user agent of the client; null if no request caused it. */
  @Column('text', { nullable: true }) address: string | null;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
