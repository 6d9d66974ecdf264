// What the script for other pages uses of rrweb's recorder, and what it defines there.
declare const rrwebRecord: {
  (options: {
    emit: (event: { type: number }, isCheckout?: boolean) => void;
    checkoutEveryNms: number;
    maskAllInputs: boolean;
    maskTextSelector?: string;
    blockSelector: string;
  }): void;
  addCustomEvent(tag: string, payload: object): void;
};

interface Window {
  bugslice: Readonly<{ file: (summary?: string, more?: object) => Promise<{ reference: string, url: string }> }>;
}
