import type { PaymentToken } from '@minitickets/contract';

export type ChargeOrder = {
  /** Our payment's id. The provider charges once per reference, however often it is asked. */
  reference: string;
  amountMinor: number;
  currency: string;
  token: PaymentToken;
};

/** A payment provider. Every call may fail or time out after it took effect; none takes effect twice. */
export type PaymentProvider = {
  charge(order: ChargeOrder, signal: AbortSignal): Promise<'accepted' | 'declined'>;
  /** Refunds an accepted charge in full. */
  refund(reference: string): Promise<void>;
  /** Returns the outcome of a charge whose response was lost. */
  lookUp(reference: string): Promise<'accepted' | 'declined' | 'refunded' | 'unknown'>;
};
