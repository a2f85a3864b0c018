/** The payload of the job `mail.send`, which legal adds. */
export interface ContractMail {
  /** Null in jobs of earlier versions. */
  messageId: string | null;
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

/** Subject and text: those of the staff member or a default, and a link to the contract. */
export function contractMail(
  { contractId, title, recipientName, subject, message }: ContractMail,
  { organization, baseUrl }: { organization: string; baseUrl: string },
): { subject: string; text: string } {
  const greeting = recipientName === null ? 'Hello,' : `Dear ${recipientName},`;
  return {
    subject: subject ?? (title ?? `Your contract with ${organization}`).slice(0, 500),
    text: [
      greeting,
      message ?? 'here is your contract with us.',
      `${baseUrl}/v1/public/legal/contracts/${contractId}`,
      organization,
    ].join('\n\n'),
  };
}
