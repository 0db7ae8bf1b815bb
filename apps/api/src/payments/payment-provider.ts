import type { PaymentToken } from '@minitickets/contract';

export type ChargeOrder = {
  /** Ours: the id of the payment. A provider that is asked twice for the same reference charges once. */
  reference: string;
  amountMinor: number;
  currency: string;
  token: PaymentToken;
};

/** Who moves the money. Every call can fail or stay unanswered after it took effect; none takes effect twice. */
export type PaymentProvider = {
  charge(order: ChargeOrder, signal: AbortSignal): Promise<'accepted' | 'declined'>;
  /** Sends back all of an accepted charge. */
  refund(reference: string): Promise<void>;
  /** What became of a charge whose answer was lost. */
  lookUp(reference: string): Promise<'accepted' | 'declined' | 'refunded' | 'unknown'>;
};
