// Nothing that the user does reaches SillyTavern for a moment. A modal dialog does the same, but to open and close one
// takes as long as a whole fork.

const DOINGS = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'touchstart', 'touchend',
    'keydown', 'keypress', 'keyup', 'beforeinput', 'cut', 'paste', 'dragstart', 'drop'];

/** Whoever comes before us, such as the gates that say “one is being made already”, still sees it. @param {Event} event */
function stop(event) {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    if (!isForBrowser(event)) event.preventDefault();
}

/** Whoever wants to reload the page, or to close it, can. @param {Event} event */
const isForBrowser = (event) =>
    event instanceof KeyboardEvent && (event.ctrlKey || event.metaKey || event.altKey || /^F\d+$/.test(event.key));

/** @returns {() => void} ends it */
export function blockInput() {
    const { dataset } = document.documentElement;
    dataset.loreforkBusy = '';
    for (const doing of DOINGS) addEventListener(doing, stop, { capture: true, passive: false });
    return () => {
        delete dataset.loreforkBusy;
        for (const doing of DOINGS) removeEventListener(doing, stop, { capture: true });
    };
}
