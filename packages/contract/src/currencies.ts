/*
 * ISO 4217, list one, as of January 2026 (XCG replaced ANG, BGN removed), by the number of decimal digits of the minor unit.
 * Without metals, units of account, fund codes and test codes, in which no ticket is priced. A table of our own, because the
 * packages that have one are years behind the list, and browsers follow CLDR, which rounds rupiah and dinars.
 */
const BY_DIGITS: Record<0 | 2 | 3, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2: `
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUC CUP CVE CZK
DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT
LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN
QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS
VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

const digitsByCode = new Map(
  Object.entries(BY_DIGITS).flatMap(([digits, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(digits)] as const),
  ),
);

/** All currency codes, sorted. */
export const currencyCodes: readonly string[] = [...digitsByCode.keys()].sort();

/** Returns whether this is an ISO 4217 code in which prices are stated today. */
export const isCurrency = (code: string) => digitsByCode.has(code);

/** Returns the decimal digits of a currency's minor unit: 2 for EUR, 0 for JPY, 3 for KWD. Throws for an unknown currency. */
export function minorDigits(currency: string): number {
  const digits = digitsByCode.get(currency);
  if (digits === undefined) throw new Error(`not a currency of ISO 4217: ${currency}`);
  return digits;
}

/** The highest price of one ticket in whole units: above any real price, below a typing error. */
const MAX_PRICE = 100_000_000;

/** Returns the highest price of one ticket in minor units. A total of 100 such tickets is still a safe integer. */
export const maxPriceMinor = (currency: string) => MAX_PRICE * 10 ** minorDigits(currency);
