declare var lorefork: object | undefined;

declare var SillyTavern: { getContext(): import('./tavern').Context };

declare var toastr: Record<'success' | 'info' | 'warning' | 'error', (content: unknown, title?: string, options?: object) => unknown> & {
    clear(toast: unknown, options?: object): void;
    remove(toast: unknown): void;
};

interface Jq {
    on(event: string, selector: string | null, handler: (event: any) => void): Jq;
    hide(): Jq;
}
declare var $: ((what: string | Element | Document) => Jq) & { _data(element: Document | Element, key: string): any };
