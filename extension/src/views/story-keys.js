// The keys of the story tree: those of an outline.

/**
 * @param {HTMLElement} tree
 * @param {{ toggle: (item: HTMLElement) => void, isOpened: (item: HTMLElement) => boolean, search: () => void }} how
 */
export function keysOf(tree, { toggle, isOpened, search }) {
    const items = () => /** @type {HTMLElement[]} */ ([...tree.querySelectorAll(':scope > [role="treeitem"]')]);
    tree.addEventListener('keydown', (event) => {
        const item = event.target instanceof HTMLElement ? event.target : null;
        if (!item || event.altKey || event.metaKey) return;
        if (item.getAttribute('role') !== 'treeitem') return inDetails(event, item);
        const all = items();
        const at = all.indexOf(item);
        const go = (/** @type {HTMLElement | undefined} */ to) => to?.focus();
        const level = (/** @type {HTMLElement} */ other) => Number(other.dataset.lane);
        const sibling = (/** @type {HTMLElement[]} */ among) => {
            for (const other of among) {
                if (level(other) < level(item)) return undefined;
                if (level(other) === level(item)) return other;
            }
            return undefined;
        };
        switch (event.key) {
            case 'ArrowDown': go(event.ctrlKey ? sibling(all.slice(at + 1)) : all[at + 1]); break;
            case 'ArrowUp': go(event.ctrlKey ? sibling(all.slice(0, at).reverse()) : all[at - 1]); break;
            case 'Home': go(all[0]); break;
            case 'End': go(all.at(-1)); break;
            case 'ArrowRight':
                if (!isOpened(item)) toggle(item);
                else go(/** @type {HTMLElement | undefined} */ (item.querySelector('[data-act]') ?? undefined));
                break;
            case 'ArrowLeft':
                if (isOpened(item)) toggle(item);
                // What it leaves, or the beginning of its own lane.
                else go(all.slice(0, at).reverse().find((other) => level(other) < level(item) || (item.dataset.stands === 'tip' && level(other) === level(item) && other.dataset.stands !== 'leaf')));
                break;
            case 'Enter':
            case ' ': toggle(item); break;
            case '/': search(); break;
            default: return;
        }
        event.preventDefault();
        // SillyTavern would close the popup, or swipe.
        event.stopPropagation();
    });
}

/**
 * Among the buttons of a row.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} button
 */
function inDetails(event, button) {
    const item = /** @type {HTMLElement | null} */ (button.closest('[role="treeitem"]'));
    const all = /** @type {HTMLElement[]} */ ([...(item?.querySelectorAll('[data-act]') ?? [])]);
    const at = all.indexOf(button);
    if (!item || at < 0) return;
    switch (event.key) {
        case 'ArrowRight':
        case 'ArrowDown': (all[at + 1] ?? button).focus(); break;
        case 'ArrowLeft':
        case 'ArrowUp': (all[at - 1] ?? item).focus(); break;
        case 'Escape': item.focus(); break;
        case 'Enter':
        case ' ': button.click(); break;
        default: return;
    }
    event.preventDefault();
    event.stopPropagation();
}
