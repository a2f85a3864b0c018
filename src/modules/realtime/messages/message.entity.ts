import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';

/** A stored message of a channel. */
@Entity('realtime_messages')
export class RealtimeMessage {
  @PrimaryColumn('bigint', { name: 'channel_id', transformer: safeInteger }) channelId: number;
  @PrimaryColumn('bigint', { transformer: safeInteger }) seq: number;
  @Column('text') id: string;
  @Column('text') event: string;
  @Column('json') data: unknown;
  @Column('timestamptz', { name: 'published_at' }) publishedAt: Date;
  /** Null for messages that were stored before publishers were recorded. */
  @Column('text', { name: 'published_by', nullable: true }) publishedBy: string | null;
}
