/** The grammar of realtime channel names. */
export const CHANNEL_NAME = /^[A-Za-z0-9_=@,.;:-]{1,164}$/;
