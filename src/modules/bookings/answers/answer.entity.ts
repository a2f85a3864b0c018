import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** What a question is answered for: the booking without either, a traveler, or one of the units of an item. */
export interface AnswerTarget {
  questionId: string;
  travelerId: string | null;
  itemId: string | null;
  /** From 1 to the quantity of the item. */
  unitNumber: number | null;
}

/** The answer to a question of a product. It never changes: another answer is another row, with the id of the former one. */
@Rights(DELETE)
@Entity('booking_answers')
export class BookingAnswer extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text', { name: 'question_id' }) questionId: string;
  /** The version of the question that was answered. */
  @Column('integer', { name: 'question_version' }) questionVersion: number;
  @Column('text', { name: 'traveler_id', nullable: true }) travelerId: string | null;
  @Column('text', { name: 'item_id', nullable: true }) itemId: string | null;
  @Column('integer', { name: 'unit_number', nullable: true }) unitNumber: number | null;
  /** Null if they are sealed. */
  @Personal('travel')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { array: true, nullable: true })
  values: string[] | null;
  /** A ciphertext. */
  @Personal('travel')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { nullable: true })
  sealed: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}

/** Answers with the same key answer the same. */
export function targetKey({ questionId, travelerId, itemId, unitNumber }: AnswerTarget): string {
  return JSON.stringify([questionId, travelerId, itemId, unitNumber]);
}
