import { LINK } from './link-placeholder.js';

/** The payload of the job `mail.send`, which legal adds. */
export interface ContractMail {
  /** Null in jobs of earlier versions. */
  messageId: string | null;
  /** The reference of the contract. */
  contractId: string;
  title: string | null;
  recipientEmail: string;
  recipientName: string | null;
  subject: string | null;
  message: string | null;
}

/** Throws if the payload has no contract or no recipient. */
export function contractMailOf(payload: unknown): ContractMail {
  const text = (name: string): string | null => {
    const value: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, name) : null;
    return typeof value === 'string' ? value : null;
  };
  const [contractId, recipientEmail] = [text('contractId'), text('recipientEmail')];
  if (contractId === null || recipientEmail === null)
    throw new Error('The payload has no contractId or no recipientEmail');
  return {
    messageId: text('messageId'),
    contractId,
    title: text('title'),
    recipientEmail,
    recipientName: text('recipientName'),
    subject: text('subject'),
    message: text('message'),
  };
}

/** Subject and text as they are stored: those of the staff member or a default, with a placeholder for the link. */
export function contractMail(
  { title, recipientName, subject, message }: ContractMail,
  organization: string,
): { subject: string; text: string } {
  const greeting = recipientName === null ? 'Hello,' : `Dear ${recipientName},`;
  return {
    subject: subject ?? (title ?? `Your contract with ${organization}`).slice(0, 500),
    text: [greeting, message ?? 'here is your contract with us.', LINK, organization].join('\n\n'),
  };
}
