// The lines and signs of one row of the story tree. What passes by, leaves or ends in a row stands in the engine's rows.

import { draw } from './draw.js';

/**
 * @typedef {import('../../types/lorefork').StoryRow} Row
 * @typedef {import('../../types/lorefork').Timeline} Timeline
 */

const SVG = 'http://www.w3.org/2000/svg';
/** Between two lanes, and from the top of a row to its sign, in pixels. */
const LANE = 20;
const SIGN = 19;
/** So many colours, then the first again. */
const COLOURS = 6;

/** @param {number} lane */
const x = (lane) => lane * LANE + LANE / 2 + 2;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
function shape(tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
}

/**
 * @param {number} lanes
 * @param {SVGElement[]} shapes
 */
function picture(lanes, shapes) {
    const width = lanes * LANE + 4;
    const svg = shape('svg', { width, height: '100%', 'aria-hidden': 'true' });
    svg.append(...shapes);
    // As high as the row beside it: a picture alone would have a height of its own.
    const box = draw('div', 'lorefork-lanes', svg);
    box.style.width = `${width}px`;
    return box;
}

/**
 * A lane from one height to another; both may be parts of the row.
 * @param {number} lane
 * @param {number | string} from
 * @param {number | string} to
 */
const line = (lane, from, to) => shape('line', { x1: x(lane), x2: x(lane), y1: from, y2: to, 'data-lane': lane % COLOURS });

/** @param {number} count */
const passing = (count) => Array.from({ length: count }, (_, lane) => line(lane, 0, '100%'));

/**
 * The lanes beside folded messages.
 * @param {number} lane of the messages
 * @param {number} lanes
 */
export function lanesOfRun(lane, lanes) {
    const dotted = line(lane, 0, '100%');
    dotted.classList.add('lorefork-dotted');
    return picture(lanes, [...passing(lane), dotted]);
}

/**
 * @param {Row} row
 * @param {Timeline} one
 * @param {number} lanes
 */
export function lanesOf(row, one, lanes) {
    const { stands, lane, from } = row;
    const shapes = passing(from === null ? (stands === 'tip' ? lane : 0) : from + 1);
    const isAway = one.gone !== null || stands === 'folded';
    if (from !== null) {
        const [left, right] = [x(from), x(lane)];
        shapes.push(shape('path', {
            d: `M ${left} 0 C ${left} ${SIGN * 0.8}, ${left + 4} ${SIGN}, ${right} ${SIGN}`,
            fill: 'none',
            'data-lane': lane % COLOURS,
            class: isAway ? 'lorefork-dashed' : '',
        }));
    }
    if (stands === 'tip') shapes.push(line(lane, 0, SIGN));
    if (stands === 'start' || stands === 'fork') shapes.push(line(lane, SIGN, '100%'));
    const sign = signOf(row, one);
    if (one.colour && !isAway) sign.style.setProperty('--lorefork-lane', one.colour);
    shapes.push(sign);
    return picture(lanes, shapes);
}

/**
 * What stands for a timeline.
 * @param {Row} row
 * @param {Timeline} one
 */
function signOf({ stands, lane }, one) {
    const [cx, cy] = [x(lane), SIGN];
    const group = shape('g', { 'data-lane': lane % COLOURS });
    const dot = (/** @type {number} */ r, /** @type {string} */ name) => shape('circle', { cx, cy, r, class: name });
    if (stands === 'folded') group.append(dot(4, 'lorefork-hollow lorefork-dashed'));
    else if (stands === 'fork') group.append(dot(2.5, 'lorefork-full'));
    else if (one.gone) group.append(dot(5.5, 'lorefork-hollow lorefork-dashed'));
    else if (one.open && stands !== 'start') group.append(dot(8, 'lorefork-halo'), dot(5, 'lorefork-full'));
    else if (one.canon && stands !== 'start') group.append(shape('path', { d: star(cx, cy, 7.5), class: 'lorefork-full' }));
    else if (one.kind === 'checkpoint') group.append(shape('path', { d: `M ${cx - 4} ${cy + 7} V ${cy - 7} H ${cx + 6} L ${cx + 3} ${cy - 3.5} L ${cx + 6} ${cy} H ${cx - 4}`, class: 'lorefork-flag' }));
    else if (one.kind === 'branch') group.append(dot(5.5, 'lorefork-hollow'));
    else group.append(dot(5, 'lorefork-full'));
    return group;
}

/**
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 */
function star(cx, cy, r) {
    const points = Array.from({ length: 10 }, (_, n) => {
        const [angle, far] = [(Math.PI * n) / 5 - Math.PI / 2, n % 2 ? r * 0.45 : r];
        return `${(cx + far * Math.cos(angle)).toFixed(2)} ${(cy + far * Math.sin(angle)).toFixed(2)}`;
    });
    return `M ${points.join(' L ')} Z`;
}
