// What modules use of rrweb's player.
declare const rrwebReplay: {
  Replayer: new (events: object[], config: object) => {
    iframe: HTMLIFrameElement;
    mirror: { getNode(id: number): any };
    styleMirror: { add(sheet: CSSStyleSheet, id: number): void, getStyle(id: number): CSSStyleSheet };
    usingVirtualDom: boolean;
    wrapper: HTMLElement;
    applyMutation(data: object, isSync: boolean): void;
    applyStyleSheetRule(data: object, sheet: CSSStyleSheet): void;
    getCurrentTime(): number;
    handleResize(size: object): void;
    on(name: string, listener: (content?: any) => void): void;
    pause(time?: number): void;
    play(time?: number): void;
    rebuildFullSnapshot(event: object, isSync: boolean): void;
    setConfig(config: object): void;
  };
};
